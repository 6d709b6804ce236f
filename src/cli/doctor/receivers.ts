/** Receivers of webhooks: whether their names have addresses, and the network rules let the service send there. */
import type { Account } from '../../accounts/account.ts';
import { systemFieldsOf } from '../../lib/error-message.ts';
import { advised, type Finding, good, wrong } from '../../lib/finding.ts';
import type { Store } from '../../store/store.ts';
import type { Endpoint } from '../../webhooks/endpoint.ts';
import {
  addressProblem,
  isForbidden,
  literalAddress,
  type NetworkRules,
  type Resolve,
} from '../../webhooks/guard.ts';

/** Names that are looked up at once. */
const AT_ONCE = 16;

export async function examineReceivers(
  store: Store,
  accounts: readonly Account[],
  rules: NetworkRules,
  resolve: Resolve,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const tenants = accounts.flatMap(({ number: account }) =>
    (['test', 'live'] as const).map((mode) => ({ account, mode })),
  );
  for (const tenant of tenants) {
    const endpoints = await store.endpoints.list(tenant);
    for (let at = 0; at < endpoints.length; at += AT_ONCE) {
      const some = endpoints.slice(at, at + AT_ONCE);
      findings.push(...(await Promise.all(some.map((endpoint) => examine(endpoint, rules, resolve)))));
    }
  }
  const { suspendedReceivers: suspended } = await store.gauges();
  if (suspended > 0)
    findings.push(
      advised(
        `${suspended === 1 ? '1 receiver is' : `${suspended} receivers are`} suspended after repeated failures.`,
        'opentill webhooks list shows those of endpoints; the log and opentill webhooks deliveries say why.',
      ),
    );
  if (findings.length === 0)
    findings.push(good('No webhook endpoints are registered, and no receiver is suspended.'));
  return findings;
}

async function examine(
  { id, tenant, url, disabled }: Endpoint,
  rules: NetworkRules,
  resolve: Resolve,
): Promise<Finding> {
  const { origin, hostname } = new URL(url);
  const name = `The endpoint ${id} of account ${tenant.account} (${tenant.mode}) at ${origin}`;
  if (disabled !== null)
    return advised(`${name} is disabled.`, `opentill webhooks update ${id} --enable enables it.`);
  const problem = addressProblem(url, rules);
  if (problem !== null) return forbidden(`${name} gets nothing: its address ${problem}.`);
  if (literalAddress(hostname) !== null) return good(`${name} is an allowed receiver.`);
  try {
    const addresses = (await resolve(hostname)).map(({ address }) => address);
    const refused = addresses.filter((address) => isForbidden(address, rules));
    return refused.length > 0
      ? forbidden(`${name} gets nothing: its name leads to ${refused.join(', ')}.`)
      : good(`${name} is an allowed receiver: ${addresses.join(', ')}.`);
  } catch (error) {
    const { code = 'no answer' } = systemFieldsOf(error);
    return wrong(
      `${name} gets nothing: its name has no address (${code}).`,
      'Check the name, and the DNS of this machine.',
    );
  }
}

function forbidden(text: string): Finding {
  return wrong(
    text,
    'If it is a receiver of yours in a network that is not public, name it in WEBHOOK_ALLOW.',
  );
}
