/** Rails: how each account can be paid, and whether what the settings say of Stripe fits together. */
import type { Account } from '../../accounts/account.ts';
import type { Mode } from '../../checkout/tenant.ts';
import { advised, type Finding, good, wrong } from '../../lib/finding.ts';
import { createVault, type Vault } from '../../methods/credentials.ts';
import { STRIPE, type StripeKeys, stripeKeysOf } from '../../methods/stripe/credentials.ts';
import { FEES_PERMISSION, permissionsOf } from '../../methods/stripe/permissions.ts';
import { causeOf } from '../client.ts';
import { printable } from '../printable.ts';
import type { Values } from './settings.ts';

const WITHIN_MS = 10_000;

export function examineRails(values: Values, accounts: readonly Account[]): readonly Finding[] {
  const vault = vaultOf(values);
  return [
    ...accounts.map((account) => livePayments(account, values, vault)),
    ...stripeFindings(values, accounts),
    ...accounts.flatMap((account) => credentialsFindings(account, vault)),
  ];
}

function vaultOf({ CREDENTIALS_KEY = null, CREDENTIALS_KEY_PREVIOUS = null }: Values): Vault {
  return createVault(CREDENTIALS_KEY, CREDENTIALS_KEY_PREVIOUS);
}

/** Keys that an account has of its own; undefined for none, and null for those that cannot be read. */
function ownKeys(
  { number: account, railCredentials }: Account,
  mode: Mode,
  vault: Vault,
): StripeKeys | null | undefined {
  const { [STRIPE]: sealed } = railCredentials[mode];
  if (sealed === undefined) return undefined;
  const secrets = vault.open(sealed, { tenant: { account, mode }, rail: STRIPE });
  return secrets && stripeKeysOf(secrets);
}

/** Credentials that are lost, or will be once the previous key is removed. */
function credentialsFindings({ number, railCredentials }: Account, vault: Vault): readonly Finding[] {
  return (['test', 'live'] as const).flatMap((mode) =>
    Object.entries(railCredentials[mode]).flatMap(([rail, each]) => {
      const sealedUnder = vault.keyOf(each, { tenant: { account: number, mode }, rail });
      if (sealedUnder === 'current') return [];
      const which = `The credentials of account ${number} for ${rail} in ${mode} mode`;
      return sealedUnder === 'previous'
        ? [
            advised(
              `${which} are encrypted under CREDENTIALS_KEY_PREVIOUS.`,
              'Run opentill credentials reseal before you remove that key.',
            ),
          ]
        : [
            wrong(
              `${which} cannot be read.`,
              'Set CREDENTIALS_KEY, or CREDENTIALS_KEY_PREVIOUS, to the key that they were set with, or set them again.',
            ),
          ];
    }),
  );
}

/** Ways in which an account takes real money. */
function livePayments(given: Account, values: Values, vault: Vault): Finding {
  const { number, name, settings } = given;
  const own = ownKeys(given, 'live', vault);
  const hasStripe = values.STRIPE_ACCOUNT === number && own === undefined;
  const account = `Account ${number} (${printable(name)})`;
  const cards = own || (hasStripe && values.STRIPE_LIVE_SECRET_KEY) ? ['by card'] : [];
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

/** Asks Stripe whether it takes the keys that are set, by questions after things that are not there. */
export async function askStripe(values: Values, accounts: readonly Account[]): Promise<readonly Finding[]> {
  const { STRIPE_API_URL = '' } = values;
  const vault = vaultOf(values);
  const ofSettings = ([mode, key]: readonly [Mode, string | undefined]): Asked => {
    const advice = `Set STRIPE_${mode.toUpperCase()}_SECRET_KEY to one of your account at Stripe.`;
    return { which: `of ${mode} mode`, key, advice };
  };
  const ofAccounts = accounts.flatMap((account) =>
    (['test', 'live'] as const).map((mode): Asked => {
      const which = `of account ${account.number} in ${mode} mode`;
      const advice = 'Set the credentials of the account again.';
      return { which, key: ownKeys(account, mode, vault)?.secretKey, advice };
    }),
  );
  const all = [
    ofSettings(['test', values.STRIPE_TEST_SECRET_KEY]),
    ofSettings(['live', values.STRIPE_LIVE_SECRET_KEY]),
    ...ofAccounts,
  ];
  const findings: Finding[] = [];
  // One after the other: there may be many accounts.
  for (const { key, ...each } of all) if (key) findings.push(await ask(STRIPE_API_URL, each, key));
  return findings;
}

type Asked = { readonly which: string; readonly key: string | undefined; readonly advice: string };

async function ask(api: string, { which, advice }: Omit<Asked, 'key'>, key: string): Promise<Finding> {
  try {
    const response = await fetch(`${api}/v1/checkout/sessions/cs_none`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    await response.body?.cancel();
    if (response.status === 401) return wrong(`Stripe does not know the key ${which}.`, advice);
    if (response.ok || response.status === 403 || response.status === 404)
      return permissionsFinding(api, which, key, response.status !== 403);
    return advised(`Stripe answers ${response.status} to the key ${which}.`, 'Ask again later.');
  } catch (error) {
    const { message, code = 'no answer' } = causeOf(error);
    return wrong(
      `Stripe does not answer at ${api}: ${printable(message || code)}.`,
      'Check the network and the firewall of this machine.',
    );
  }
}

/** All that a key lacks; `isAccepted` says what came of a question that each key may ask. */
async function permissionsFinding(
  apiUrl: string,
  which: string,
  key: string,
  isAccepted: boolean,
): Promise<Finding> {
  const { lacked, unanswered } = await permissionsOf(key, { apiUrl, timeoutMs: WITHIN_MS });
  const unsaid =
    unanswered.length > 0
      ? [`Stripe did not say whether the key ${which} has ${unanswered.join(', ')}.`]
      : [];
  if (lacked.length > 0) {
    const text = [`The key ${which} lacks at Stripe: ${lacked.join(', ')}.`, ...unsaid].join(' ');
    return isAccepted && lacked.every((name) => name === FEES_PERMISSION)
      ? advised(text, 'Give it that permission, or the fees of payments are not known.')
      : wrong(text, 'Give it the permissions that the guide on cards lists.');
  }
  if (!isAccepted)
    return wrong(
      `The key ${which} may not read checkout sessions at Stripe.`,
      'Give it the permissions that the guide on cards lists.',
    );
  const [text] = unsaid;
  return text === undefined ? good(`Stripe accepts the key ${which}.`) : advised(text, 'Ask again later.');
}
