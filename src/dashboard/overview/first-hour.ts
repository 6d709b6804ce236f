/** First hour of a new account: the steps from nothing to live payments, each checked off by what is there. */
import type { representApiKey } from '../../accounts/representation.ts';
import { type Html, html } from '../../lib/html.ts';
import type { ApiCaller } from '../api.ts';
import { pathIn } from '../place.ts';
import type { Visit } from '../screen.ts';

type Step = {
  readonly name: string;
  readonly text: string;
  readonly isDone: boolean;
  /** Below the account. */
  readonly mode: 'test' | 'live';
  readonly screen: string;
  readonly action: string;
};

/** The steps, for those who may do them. Of what cannot be read now, nothing is there. */
export async function firstHour(visit: Visit, basePath: string): Promise<Html> {
  const steps = await stepsOf(visit);
  const { account } = visit.place.tenant;
  return html`<section><h2>From nothing to the first payment</h2>
<ol class="steps">${steps.map(
    ({
      name,
      text,
      isDone,
      mode,
      screen,
      action,
    }) => html`<li><p><strong>${name}</strong> <span class="state ${isDone ? 'good' : 'plain'}">${isDone ? 'done' : 'to do'}</span></p>
<p>${text}</p>${!isDone && html`<p><a href="${basePath}${pathIn({ account, mode }, screen)}">${action}</a></p>`}</li>
`,
  )}</ol></section>`;
}

async function stepsOf({ live, test }: Visit): Promise<readonly Step[]> {
  const [accounts, credentials, paid, ofLive, ofTest, keys] = await Promise.all([
    some(live, '/v3/receiving_account'),
    some(live, '/v3/rail_credentials'),
    some(test, '/v3/checkout?payment_status=paid&limit=1'),
    some(live, '/v3/webhook_endpoint?limit=1'),
    some(test, '/v3/webhook_endpoint?limit=1'),
    live.get<ReadonlyArray<ReturnType<typeof representApiKey>>>('/v3/api_key?limit=100'),
  ]);
  return [
    {
      name: 'Say where the money goes',
      text: 'Payers transfer to an account of yours, or pay by card with your keys of Stripe.',
      isDone: accounts || credentials,
      mode: 'live',
      screen: 'settings/new-receiving-account',
      action: 'Add a receiving account',
    },
    {
      name: 'Take a test payment',
      text: 'Create a session in test mode, open its link, and pay it: no money moves.',
      isDone: paid,
      mode: 'test',
      screen: 'sessions/new',
      action: 'Create a session in test mode',
    },
    {
      name: 'Have your shop told',
      text: 'A webhook tells your shop of each payment, signed and in order.',
      isDone: ofLive || ofTest,
      mode: 'test',
      screen: 'webhooks/new-endpoint',
      action: 'Add an endpoint',
    },
    {
      name: 'Give your shop a live key',
      text: 'With it your shop creates sessions for real payers.',
      isDone: keys.ok && keys.data.some(({ status }) => status === 'active'),
      mode: 'live',
      screen: 'keys',
      action: 'Create an API key',
    },
  ];
}

async function some(api: ApiCaller, url: string): Promise<boolean> {
  const answer = await api.get<readonly unknown[]>(url);
  return answer.ok && answer.data.length > 0;
}
