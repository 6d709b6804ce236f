/** Subjects of API operations, each made on demand. */
import { type Account, createAccount } from '../../src/accounts/account.ts';
import { executeOn } from '../../src/cli/with-store.ts';
import { newId } from '../../src/lib/id.ts';
import type { User } from '../../src/users/user.ts';
import { ownOrigin } from '../../src/writer/command.ts';
import { providerEvent, write } from '../store/build.ts';
import { png } from '../support/image.ts';
import type { OtherService } from '../support/service.ts';
import { changeUser, inviteUser } from '../support/users.ts';
import { awaitTransfer, camt, configure, entered, eur, imported } from './bank.ts';
import type { Receiver } from './receiver.ts';
import { createSession, type Data, pay, succeeded, until, WELL_FORMED_ID } from './shop.ts';

/** Waits until the rails have heard of all refunds: the worker writes nothing about them any more. */
export async function refundsAreHeardOf({ service: { store }, account }: OtherService): Promise<void> {
  const tenant = { account: account.number, mode: 'test' } as const;
  await until(async () => {
    const { rows } = await store.refunds.list(tenant, { isPending: true }, { limit: 100 });
    return rows.every(({ id, checkout }) =>
      checkout.refunds.every((each) => each.id !== id || each.syncAt === null),
    );
  });
}

/** Tries of a provider event that was given up: if somebody asks for it again, one more gives it up again. */
const tries = 9;

/** Waits until what was asked for again has been given up again: the worker writes nothing about it any more. */
async function providerEventsAreGivenUp({ service: { store }, account }: OtherService): Promise<void> {
  const tenant = { account: account.number, mode: 'test' } as const;
  await until(async () => {
    const { rows } = await store.providerEvents.list(tenant, { state: 'waiting' }, { limit: 100 });
    return rows.every((event) => event.tries < tries);
  });
}

async function nothingIsUnderWay(service: OtherService): Promise<void> {
  await refundsAreHeardOf(service);
  await providerEventsAreGivenUp(service);
}

/**
 * Makes what an operation is about; the id in its path comes from here. `quiet` resolves when the worker has nothing left
 * to write about it.
 */
export function subjectsOf(
  service: OtherService,
  receiver: Receiver,
  quiet = () => nothingIsUnderWay(service),
) {
  const { call } = service;
  const paid = async () => (await pay(service, (await createSession(service)).id)).id;
  const refunded = async (payin: string) =>
    succeeded(await call('POST', '/v3/refund', { body: { payin, amount: 100 } }), 201).id;
  /** A session that was paid by bank transfer, and a refund that waits for a file. */
  const dueRefund = async () => {
    await configure(service);
    const { id, reference } = await awaitTransfer(service);
    await imported(service, [{ amount: 2500, reference }]);
    return refunded(id);
  };
  const list = async (path: string): Promise<Data[]> => (await call('GET', path)).json.data;
  const settled = async (id: string) => {
    await quiet();
    return id;
  };
  let lastKey: string | null = null;
  let lastMember: User | null = null;
  const subjects = {
    none: async () => '',
    checkout: async () => (await createSession(service)).id,
    attempt: async () => (await pay(service, (await createSession(service)).id)).latest_payment_attempt,
    customer: async () => succeeded(await call('POST', '/v3/customer', { body: { name: 'Ada' } }), 201).id,
    async event() {
      await createSession(service);
      return (await list('/v3/event?limit=1'))[0].id;
    },
    /** An endpoint that replaces earlier ones, because their number is limited. */
    async endpoint() {
      for (const { id } of await list('/v3/webhook_endpoint?limit=100')) {
        await call('DELETE', `/v3/webhook_endpoint/${id}`);
      }
      return succeeded(await call('POST', '/v3/webhook_endpoint', { body: endpoint }), 201).id;
    },
    /** A delivery that has ended, like all others: nothing about them is written any more. */
    async delivery() {
      const { id } = await createSession(service, { webhook_url: receiver.url });
      await until(async () => (await list('/v3/webhook_delivery?status=pending')).length === 0);
      return (await list(`/v3/webhook_delivery?checkout=${id}`))[0].id;
    },
    /** A key that replaces the one made before, because their number is limited. */
    async apiKey() {
      if (lastKey !== null) succeeded(await call('POST', `/v3/api_key/${lastKey}/revoke`));
      const body = { permissions: ['read'], name: 'Till 2' };
      lastKey = succeeded(await call('POST', '/v3/api_key', { body }), 201).id;
      return `${lastKey}`;
    },
    /** A member, who takes the place of the one before, if that is still there. */
    async member() {
      const { store } = service.service;
      const account = service.account.number;
      if (lastMember !== null && (await store.dashboardUsers.fetch(lastMember.id)) !== null) {
        const now = Date.now();
        await changeUser(store, lastMember.id, { type: 'remove_role', account, now });
      }
      lastMember = await inviteUser(store, { account, role: 'support', email: '' });
      return lastMember.id;
    },
    /** Another account, with a name that a test does not give it. */
    async account() {
      const { store } = service.service;
      const name = 'Other Shop';
      const isOther = ({ name: own }: Account) => own === name || own === 'Renamed Shop';
      const found =
        (await store.accounts.list()).find(isOther) ?? (await createAccount(store, name, Date.now()));
      const tenant = { account: found.number, mode: 'live' } as const;
      const origin = ownOrigin(tenant, 'operator');
      const command = { type: 'rename_account', name } as const;
      await executeOn(store)({ subject: 'account', origin, command, now: Date.now() });
      return String(found.number);
    },
    paid,
    refund: async () => refunded(await paid()),
    /** An account that takes transfers. */
    async bank() {
      await configure(service);
      return '';
    },
    /** Settings that are those of the test, so that there is something to change. */
    async settings() {
      await configure(service);
      return '';
    },
    /** A logo that is another one than that of the test. */
    async logo() {
      const { status } = await call('PUT', '/v3/logo', { body: png() });
      if (status >= 300) throw new Error(`a logo was refused with ${status}`);
      return '';
    },
    async receivingAccount() {
      await configure(service, { receivingAccounts: [{ ...eur, id: 'main' }] });
      return 'main';
    },
    /** Credentials at a rail, in place of earlier ones. */
    async railCredentials() {
      const body = { secret_key: 'rk_test_5ubject0of0a0test', webhook_secret: 'whsec_5ubject0of0a0test' };
      const { status } = await call('PUT', '/v3/rail_credentials/stripe', { body });
      if (status >= 300) throw new Error(`credentials were refused with ${status}`);
      return 'stripe';
    },
    /** A provider event that waits for a person. */
    async providerEvent() {
      const event = providerEvent(newId('pev', Date.now()), {
        ...{ state: 'open', dueAt: null, tries, reason: 'no_session' },
      });
      const tenant = { account: service.account.number, mode: 'test' } as const;
      await write(service.service.store, tenant, { providerEvent: event });
      return event.id;
    },
    async dueRefund() {
      await dueRefund();
      return '';
    },
    bankRefund: dueRefund,
    /** A bank entry that matches nothing. */
    async entry() {
      await configure(service);
      const { id } = await entered(service, { amount: 2500 });
      payins.set(id, (await createSession(service)).id);
      return id;
    },
    /** A bank entry that is ignored. */
    async ignoredEntry() {
      await configure(service);
      const { id } = await entered(service, { amount: 2500 });
      succeeded(await call('POST', `/v3/bank_entry/${id}/ignore`, { body: { reason: 'Interest.' } }));
      return id;
    },
    async statement() {
      await configure(service);
      return (await imported(service, [{ amount: 2500 }])).id;
    },
    async paymentFile() {
      await dueRefund();
      const body = { receiving_account: 'eur' };
      return succeeded(await call('POST', '/v3/payment_file', { body }), 201).id;
    },
  } as const satisfies Record<string, () => Promise<string>>;
  return Object.fromEntries(
    Object.entries(subjects).map(([name, make]) => [name, async () => settled(await make())]),
  ) as Record<keyof typeof subjects, () => Promise<string>>;
}

export type Subject = keyof ReturnType<typeof subjectsOf>;

/** The surroundings that an operation needs without naming them. */
type Surroundings = 'none' | 'account' | 'bank' | 'dueRefund' | 'settings' | 'logo';

export const prefixes: Readonly<Record<Exclude<Subject, Surroundings>, string>> = {
  checkout: 'chk',
  attempt: 'pat',
  customer: 'cus',
  event: 'evt',
  endpoint: 'whe',
  delivery: 'whd',
  paid: 'chk',
  refund: 'rfd',
  bankRefund: 'rfd',
  entry: 'ntc',
  ignoredEntry: 'ntc',
  statement: 'bfl',
  paymentFile: 'bfl',
  providerEvent: 'pev',
  apiKey: 'ak_test',
  member: 'usr',
  receivingAccount: 'main',
  railCredentials: 'stripe',
};

/** An id of the same form that nothing has. */
export const unknownId = (subject: keyof typeof prefixes): string =>
  named[subject] ?? `${prefixes[subject]}_${WELL_FORMED_ID}`;
/** Ids that merchants choose, and names of rails: of these, only the account itself has anything. */
const named: Partial<Record<keyof typeof prefixes, string>> = {
  receivingAccount: 'unknown',
  railCredentials: 'stripe',
};

/** Payins that an entry can be assigned to, by the id of the entry. */
const payins = new Map<string, string>();
export const assignment = (entry: string) => ({
  parts: [{ payin: payins.get(entry) ?? `chk_${WELL_FORMED_ID}` }],
});

export const statement = camt([{ amount: 2500, bankReference: '203001310000000000' }], { id: 'S0' });

export const endpoint = { url: 'https://shop.example.com/hook', status: 'disabled' };
