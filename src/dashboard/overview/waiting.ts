/** Work that waits for a person, each with its number and the way to where it is done. */
import type { representOverview } from '../../checkout/overview.ts';
import { MOST_WAITING } from '../../checkout/overview.ts';
import { type Html, html } from '../../lib/html.ts';
import { keysOf } from '../../lib/keys.ts';
import { navigation } from '../document.ts';
import { type Place, pathIn } from '../place.ts';

type Waiting = ReturnType<typeof representOverview>['waiting'];
/** Other obstacles that keep payers from paying. */
export type Lacks = {
  /** Credentials of the account that the key of the service does not open. */
  readonly unreadable_credentials: number;
  /** A currency of its sessions that no payment method takes, or null. */
  readonly untaken: string | null;
};

type Counts = Waiting & Pick<Lacks, 'unreadable_credentials'>;
type Counted = keyof Counts;

type Kind = {
  readonly names: readonly [one: string, many: string];
  /** Predicates for one and for many, which may be the same. */
  readonly is: readonly [one: string, many?: string];
  /** The screen on which it is done, and what is behind its address. */
  readonly screen: string;
  readonly query?: string;
};

/** Screens on which work is done: those of the navigation, and one that is found from here alone. */
const screens: ReadonlyArray<Pick<(typeof navigation)[number], 'screen' | 'operation'>> = [
  ...navigation,
  { screen: 'provider-events', operation: 'PROVIDER_EVENT.LIST' },
];

/** In the order in which they are told: money first. */
const kinds: Readonly<Record<Counted, Kind>> = {
  unreadable_credentials: {
    names: ['set of credentials', 'sets of credentials'],
    is: ['cannot be opened with the key of this service: enter them again'],
    screen: 'settings',
  },
  bank_entries: {
    names: ['bank entry', 'bank entries'],
    is: ['fits no session', 'fit no session'],
    screen: 'bank',
  },
  excess: {
    names: ['session', 'sessions'],
    is: ['is paid in excess, and nothing goes back', 'are paid in excess, and nothing goes back'],
    screen: 'sessions',
    query: '?paid_in_excess=true',
  },
  bank_refunds: {
    names: ['refund by transfer', 'refunds by transfer'],
    is: ['waits to be paid out or settled', 'wait to be paid out or settled'],
    screen: 'movements',
    query: '?type=refund',
  },
  provider_events: {
    names: ['provider event', 'provider events'],
    is: [
      'matched nothing, or its rail has not told of the payment',
      'matched nothing, or their rail has not told of the payment',
    ],
    screen: 'provider-events',
  },
  failed_deliveries: {
    names: ['webhook', 'webhooks'],
    is: ['was given up', 'were given up'],
    screen: 'webhooks',
    query: '?status=failed',
  },
  suspended_receivers: {
    names: ['receiver', 'receivers'],
    is: ['keeps failing, and only gets probes', 'keep failing, and only get probes'],
    screen: 'webhooks',
  },
  disabled_endpoints: {
    names: ['endpoint', 'endpoints'],
    is: ['is disabled', 'are disabled'],
    screen: 'webhooks',
  },
};

/** Work that waits, or the sentence that none does. */
export function waitingList({ untaken, ...counts }: Counts & Lacks, place: Place, basePath: string): Html {
  const waiting = keysOf(kinds).filter((name) => counts[name] > 0);
  const items = waiting.map((name) => {
    const { names, is, screen, query } = kinds[name];
    const [one, many = one] = is;
    const isOne = counts[name] === 1;
    return item(`${number(counts[name])} ${names[isOne ? 0 : 1]}`, isOne ? one : many, screen, query);
  });
  if (untaken !== null)
    items.unshift(
      item(`No payment method for ${untaken}`, 'is set up: sessions in it are refused', 'settings'),
    );
  return items.length === 0
    ? html`<p>Nothing waits for a person.</p>`
    : html`<ul class="waiting">${items}</ul>`;

  /** A link is for those who may see its screen. */
  function item(what: string, is: string, screen: string, query = ''): Html {
    const way = screens.find((each) => each.screen === screen);
    const href = way && place.may(way.operation) && `${basePath}${pathIn(place.tenant, way.screen)}${query}`;
    return html`<li>${href ? html`<a class="count" href="${href}">${what}</a>` : html`<strong class="count">${what}</strong>`} ${is}</li>
`;
  }
}

const number = (count: number): string =>
  count >= MOST_WAITING ? `${MOST_WAITING.toLocaleString('en')} or more` : count.toLocaleString('en');
