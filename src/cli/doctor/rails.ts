/** Rails: how each account can be paid, and whether what the settings say of Stripe fits together. */
import type { Account } from '../../accounts/account.ts';
import type { Mode } from '../../checkout/tenant.ts';
import { advised, type Finding, good, wrong } from '../../lib/finding.ts';
import { causeOf } from '../client.ts';
import { printable } from '../printable.ts';
import type { Values } from './settings.ts';

const WITHIN_MS = 10_000;

export function examineRails(values: Values, accounts: readonly Account[]): readonly Finding[] {
  return [...accounts.map((account) => livePayments(account, values)), ...stripeFindings(values, accounts)];
}

/** Ways in which an account takes real money. */
function livePayments({ number, name, settings }: Account, values: Values): Finding {
  const hasStripe = values.STRIPE_ACCOUNT === number;
  const account = `Account ${number} (${printable(name)})`;
  const cards = hasStripe && values.STRIPE_LIVE_SECRET_KEY ? ['by card'] : [];
  const currencies = [...new Set(settings.live.receivingAccounts.map(({ currency }) => currency))];
  const transfers = currencies.length > 0 ? [`by bank transfer in ${currencies.join(', ')}`] : [];
  const ways = [...cards, ...transfers];
  return ways.length > 0
    ? good(`${account} is paid ${ways.join(' and ')} in live mode.`)
    : advised(
        `${account} cannot be paid in live mode.`,
        `Create a receiving account (opentill bank account set --account ${number} --live)${hasStripe ? ', or set the keys of Stripe' : ''}.`,
      );
}

function stripeFindings(values: Values, accounts: readonly Account[]): readonly Finding[] {
  const { STRIPE_ACCOUNT, STRIPE_API_URL = '', PUBLIC_URL = '' } = values;
  const [test, live] = [values.STRIPE_TEST_SECRET_KEY, values.STRIPE_LIVE_SECRET_KEY];
  if (!test && !live) return [];
  const hasAccount = accounts.length === 0 || accounts.some(({ number }) => number === STRIPE_ACCOUNT);
  return [
    ...(hasAccount
      ? []
      : [
          wrong(
            `STRIPE_ACCOUNT is ${STRIPE_ACCOUNT}, and there is no such account.`,
            'Set it to the number of an account; opentill accounts list shows them.',
          ),
        ]),
    ...(live && !STRIPE_API_URL.startsWith('https:')
      ? [
          wrong(
            `STRIPE_API_URL is ${STRIPE_API_URL}, to which a live key would go in the clear.`,
            'Remove this setting.',
          ),
        ]
      : []),
    ...(live && !PUBLIC_URL.startsWith('https:')
      ? [
          wrong(
            `Stripe sends events of live mode to HTTPS alone, and PUBLIC_URL is ${PUBLIC_URL}.`,
            'Set PUBLIC_URL to an address with https, and register PUBLIC_URL/notices/stripe at Stripe.',
          ),
        ]
      : []),
    ...(live?.startsWith('sk_')
      ? [advised('The live key of Stripe may do everything.', 'Use a restricted key (rk_live_…).')]
      : []),
  ];
}

/** Asks Stripe whether it takes the keys that are set, by a question of the kind that the service asks. */
export async function askStripe(values: Values): Promise<readonly Finding[]> {
  const { STRIPE_API_URL = '' } = values;
  const keys: ReadonlyArray<readonly [Mode, string | undefined]> = [
    ['test', values.STRIPE_TEST_SECRET_KEY],
    ['live', values.STRIPE_LIVE_SECRET_KEY],
  ];
  const asked = keys.flatMap(([mode, key]) => (key ? [ask(STRIPE_API_URL, mode, key)] : []));
  return Promise.all(asked);
}

async function ask(api: string, mode: Mode, key: string): Promise<Finding> {
  const setting = `STRIPE_${mode.toUpperCase()}_SECRET_KEY`;
  try {
    const response = await fetch(`${api}/v1/checkout/sessions?limit=1`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    await response.body?.cancel();
    if (response.ok) return good(`Stripe accepts the key of ${mode} mode.`);
    if (response.status === 401)
      return wrong(
        `Stripe does not know the key of ${mode} mode.`,
        `Set ${setting} to one of your account at Stripe.`,
      );
    if (response.status === 403)
      return wrong(
        `The key of ${mode} mode may not read checkout sessions at Stripe.`,
        'Give it the permissions that the guide on cards lists.',
      );
    return advised(`Stripe answers ${response.status} in ${mode} mode.`, 'Ask again later.');
  } catch (error) {
    const { message, code = 'no answer' } = causeOf(error);
    return wrong(
      `Stripe does not answer at ${api}: ${printable(message || code)}.`,
      'Check the network and the firewall of this machine.',
    );
  }
}
