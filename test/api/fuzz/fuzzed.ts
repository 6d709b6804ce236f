/** The service that is fuzzed, as the tests see it, and the ids that it has given. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Data } from '../shop.ts';
import type { Caller, Request } from './requests.ts';
import type { WireAnswer, WireRequest } from './wire.ts';

export type Shop = {
  readonly authorization: string;
  /** Known ids, by the prefix of their kind. */
  readonly ids: Readonly<Record<string, string[]>>;
  /** The path of a payer's page. */
  readonly page: string;
};

export type Fuzzed = {
  readonly port: number;
  /** The URL that webhooks are sent to. */
  readonly hook: string;
  readonly shop: Shop;
  readonly elsewhere: Shop;
  readonly reader: string;
  readonly live: string;
  /** Credentials of an account in the compatibility mode `v3`. */
  readonly lenient: string;
  /** The secret that signs provider events. */
  readonly providerSecret: string;
};

/** The longest uninterrupted work of the serving thread on one request. */
export type Longest = { ms: number; request: string };

export type FuzzedService = Fuzzed & {
  /** The longest turn since the start, or since `forget`. */
  longest(): Promise<Longest>;
  forget(): void;
  readonly stderr: () => string;
};

/** Time to end in; halfway the service says what is still open, unless its thread is at work all the time. */
export const ENDS_WITHIN_MS = 40_000;

export async function startFuzzed(
  context: Pick<TestContext, 'after'>,
  { subjects }: { subjects: number },
): Promise<FuzzedService> {
  const child = fork(join(import.meta.dirname, 'fuzzed-service.ts'), {
    env: { ...process.env, FUZZED_SUBJECTS: String(subjects) },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'exit');
  context.after(async () => {
    if (child.connected) child.disconnect();
    // Long before the time of a test is over, which would tell nothing.
    const tooLong = setTimeout(() => child.kill('SIGKILL'), ENDS_WITHIN_MS);
    const [, signal] = await ended;
    clearTimeout(tooLong);
    assert.equal(signal, null, `the service did not end: ${stderr || 'it said nothing'}`);
  });
  const early = ended.then(() => {
    throw new Error(`the service has ended: ${stderr}`);
  });
  early.catch(() => {});
  const message = async () => (await Promise.race([once(child, 'message'), early]))[0];
  const fuzzed = (await message()) as Fuzzed;
  return {
    ...fuzzed,
    stderr: () => stderr,
    async longest() {
      child.send('longest');
      return (await message()) as Longest;
    },
    forget: () => void child.send('forget'),
  };
}

/** The kind of an id, by its prefix; statements and payment files share one, and that of API keys is shorter. */
export function kindOf(object: string, id: string): string {
  if (id.startsWith('ak_')) return 'key';
  return /^payment_?file$/i.test(object) ? 'pmf' : id.slice(0, 3);
}

/** The number of ids of a kind in use: the newest ones. */
const KEPT_IDS = 300;

/**
 * Ids of things in a state that an operation needs, beside all of their kind: without them hardly any request to it would
 * succeed. What another request has changed since stays among them until an answer tells so.
 */
const inState: Readonly<
  Record<string, { readonly object: string; readonly kind: string; readonly is: (thing: Data) => boolean }>
> = {
  /** Bank entries that wait for a person. */
  opn: {
    object: 'bank_entry',
    kind: 'ntc',
    is: ({ status, amount_unassigned: left }) => status === 'open' && left > 0,
  },
  /** Sessions for which an entry can be booked: in its currency, and with something to pay. */
  eur: {
    object: 'checkout',
    kind: 'chk',
    is: ({ invoice_currency: currency, amount }) => currency === 'EUR' && amount > 0,
  },
  /** Sessions that can be paid. */
  due: { object: 'checkout', kind: 'chk', is: ({ status, amount }) => status === 'active' && amount > 0 },
};

/** What an answer is about, or lists. */
function thingsOf(text: string): Data[] {
  const { data } = JSON.parse(text);
  return [data].flat().filter((thing) => typeof thing?.id === 'string');
}

/** Puts ids that the service has given into requests; answers bring further ones. */
export function createIds({
  shop,
  elsewhere,
  hook,
  reader,
  live,
}: Pick<Fuzzed, 'shop' | 'elsewhere' | 'hook' | 'reader' | 'live'>) {
  const known: Record<'shop' | 'elsewhere', Record<string, string[]>> = {
    shop: structuredClone(shop.ids),
    elsewhere: structuredClone(elsewhere.ids),
  };
  const authorizations: Readonly<Record<Caller, string | null>> = {
    shop: shop.authorization,
    elsewhere: elsewhere.authorization,
    reader,
    live,
    nobody: null,
    wrong: `Basic ${Buffer.from('ak_test_x:sk_test_x').toString('base64')}`,
  };
  const owner = (caller: Caller): keyof typeof known => (caller === 'elsewhere' ? 'elsewhere' : 'shop');

  function filled(text: string, caller: Caller): string {
    return text.replaceAll(/\{([a-z]{3}):(\d+)\}|\{hook\}/g, (_all, prefix?: string, number?: string) => {
      if (prefix === undefined) return hook;
      const { [prefix]: fitting = [], [inState[prefix]?.kind ?? prefix]: all = [] } = known[owner(caller)];
      const ids = fitting.length > 0 ? fitting : all;
      return ids[Number(number) % Math.max(1, ids.length)] ?? `${prefix}_${'0'.repeat(26)}`;
    });
  }

  function filledBody(body: Buffer, caller: Caller): Buffer {
    // Latin1 keeps every byte.
    const text = body.toString('latin1');
    return text.includes('{') ? Buffer.from(filled(text, caller), 'latin1') : body;
  }

  return {
    wire({ operation, caller, target, headers, body }: Request): WireRequest {
      const isOfLive = operation.spec.description.endsWith(', in live mode.');
      const authorization = authorizations[caller === 'shop' && isOfLive ? 'live' : caller];
      const own = headers.some(([name]) => name === 'Authorization');
      return {
        method: operation.method,
        target: filled(target, caller),
        headers: [
          ...(authorization === null || own ? [] : [['Authorization', authorization] as const]),
          ...headers,
        ],
        body: body === null ? null : filledBody(body, caller),
      };
    },

    /** Remembers what an answer names, and forgets what is no more. */
    learn(
      { operation, caller }: Request,
      { target }: WireRequest,
      { status, text, headers }: WireAnswer,
    ): void {
      if (status >= 300) return;
      const ids = known[owner(caller)];
      if (operation.method === 'DELETE') {
        for (const [kind, list] of Object.entries(ids)) ids[kind] = list.filter((id) => !target.includes(id));
        return;
      }
      const remember = (kind: string, id: string) => {
        ids[kind] ??= [];
        if (ids[kind].includes(id)) return;
        ids[kind].push(id);
        if (ids[kind].length > KEPT_IDS) ids[kind].shift();
      };
      for (const [, id = '', object = ''] of text.slice(0, 4000).matchAll(NAMED))
        remember(kindOf(object, id), id);
      if (!headers.get('content-type')?.includes('json')) return;
      for (const thing of thingsOf(text)) {
        for (const [state, { object, is }] of Object.entries(inState)) {
          if (thing.object !== object) continue;
          if (is(thing)) remember(state, thing.id);
          else ids[state] = ids[state]?.filter((id) => id !== thing.id) ?? [];
        }
      }
    },
  };
}

const NAMED = /"id":"([a-z]{3}_[0-9a-z]{26})","object":"(\w+)"/g;
