/** First hour of a new account: the steps from nothing to live payments, each checked off by what is there. */
import type { representApiKey } from '../../accounts/representation.ts';
import { type Html, html } from '../../lib/html.ts';
import type { ApiAnswer, Told } from '../api.ts';
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

/** The steps, for those who may do them: a step that was done must not look as if it was not, so a refusal is told. */
export async function firstHour(visit: Visit, basePath: string): Promise<Told<Html>> {
  const steps = await stepsOf(visit);
  if (!steps.ok) return steps;
  const { account } = visit.place.tenant;
  const content = html`<section><h2>From nothing to the first payment</h2>
<ol class="steps">${steps.data.map(
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
  return { ok: true, data: content };
}

async function stepsOf({ live, test }: Visit): Promise<Told<readonly Step[]>> {
  const answers = await Promise.all([
    live.get<readonly unknown[]>('/v3/receiving_account'),
    live.get<readonly unknown[]>('/v3/rail_credentials'),
    test.get<readonly unknown[]>('/v3/checkout?payment_status=paid&limit=1'),
    live.get<readonly unknown[]>('/v3/webhook_endpoint?limit=1'),
    test.get<readonly unknown[]>('/v3/webhook_endpoint?limit=1'),
    live.get<ReadonlyArray<ReturnType<typeof representApiKey>>>('/v3/api_key?limit=100'),
  ]);
  for (const answer of answers) if (!answer.ok) return answer;
  const [accounts, credentials, paid, ofLive, ofTest, keys] = answers;
  const data: readonly Step[] = [
    {
      name: 'Say where the money goes',
      text: 'Payers transfer to an account of yours, or pay by card with your keys of Stripe.',
      isDone: some(accounts) || some(credentials),
      mode: 'live',
      screen: 'settings/new-receiving-account',
      action: 'Add a receiving account',
    },
    {
      name: 'Take a test payment',
      text: 'Create a session in test mode, open its link, and pay it: no money moves.',
      isDone: some(paid),
      mode: 'test',
      screen: 'sessions/new',
      action: 'Create a session in test mode',
    },
    {
      name: 'Have your shop told',
      text: 'A webhook tells your shop of each payment, signed and in order.',
      isDone: some(ofLive) || some(ofTest),
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
  return { ok: true, data };
}

const some = (answer: ApiAnswer<readonly unknown[]>): boolean => answer.ok && answer.data.length > 0;
