/** Steps about the bank: payers transfer, the bank goes on, files come in, and a person decides. */
import type { Account } from '../../src/accounts/account.ts';
import { isReturn } from '../../src/banking/effects.ts';
import { type BankEntry, unassigned } from '../../src/banking/entry.ts';
import { outgoingFrom } from '../../src/banking/outgoing.ts';
import type { AttemptId } from '../../src/checkout/ids.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import { sameTenant, type Tenant, type TenantTime } from '../../src/checkout/tenant.ts';
import { newId } from '../../src/lib/id.ts';
import { bank as rail } from '../../src/methods/bank/rail.ts';
import { BANK } from '../../src/methods/bank/receiving-account.ts';
import { findMethod } from '../../src/methods/catalogue.ts';
import { type AttemptPlan, occasionOf } from '../../src/methods/method.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import type { EntryAction } from '../../src/writer/command.ts';
import { euroSettings } from '../support/statements.ts';
import { UNKNOWN } from './bank.ts';
import type { Clients } from './clients.ts';
import type { Stage } from './stage.ts';
import { type Step, TENANTS } from './steps.ts';

type Of<D extends Step['do']> = Extract<Step, { readonly do: D }>;

const [TENANT] = TENANTS;
export const BANK_METHOD = 'local_bank_transfer_eur';

const settings = euroSettings();
/** The rail sees no difference between accounts. */
const account: Account = {
  number: 1,
  name: 'one',
  webhookSecrets: { test: '', live: '' },
  createdAt: 0,
  previousWebhookSecrets: { test: null, live: null },
  testClockOffsetMs: 0,
  settings: { test: settings, live: settings },
  railCredentials: { test: {}, live: {} },
  logos: { test: null, live: null },
};

function pick<T>(all: readonly T[], number: number): T | undefined {
  return all[number % all.length];
}

export function createBankActs({ oracle, bank, process }: Stage, { askElse }: Clients) {
  /** Attempts whose reference a payer has seen. */
  const attemptsOf = ({ attempts }: Checkout) =>
    attempts.filter(({ rail, traits }) => rail === BANK && traits.standing);

  function askAbout(tenant: Tenant, { id, reference }: BankEntry, action: EntryAction): void {
    askElse<'bank_entry'>(tenant, `POST /v3/bank_entry/${id}/${action.type}`, (now) => ({
      subject: 'bank_entry',
      now,
      id,
      reference,
      action,
    }));
  }

  /** Mostly an entry that fits. */
  function pickEntry(number: number, fits: (entry: BankEntry) => boolean) {
    return pick(
      [...oracle.inbox.entries.values()].filter(({ entry }) => number % 5 === 0 || fits(entry)),
      number,
    );
  }

  /** Refunds and entries due for the next payment file. */
  function owedIn(tenant: Tenant): readonly unknown[] {
    const isOf = (each: { readonly tenant: Tenant }) => sameTenant(each.tenant, tenant);
    const refunds = [...oracle.stored.values()]
      .filter(isOf)
      .flatMap((each) =>
        each.refunds.filter((refund) => refund.rail === BANK && refund.paymentFile === undefined),
      );
    const sentBack = [...oracle.inbox.entries.values()]
      .filter(isOf)
      .filter(({ entry }) => entry.sentBack?.state === 'pending' && entry.sentBack.file === '');
    return [...refunds.filter(({ status }) => status === 'pending'), ...sentBack];
  }

  return {
    owedIn,

    /** Mostly one of those that have something. */
    tenantFor(number: number, has: (tenant: Tenant) => readonly unknown[]): Tenant {
      const having = TENANTS.filter((tenant) => has(tenant).length > 0);
      return pick(having, number) ?? TENANT;
    },

    /** The plan of an attempt; the payer sees its reference. */
    plan(checkout: Checkout, attemptId: AttemptId, now: TenantTime): AttemptPlan | null {
      const method = findMethod(BANK_METHOD);
      return method ? rail.plan(checkout, method, occasionOf(checkout, account), attemptId, now) : null;
    },

    transfer({ session, share, names, spelling, payer, number }: Of<'transfer'>): void {
      const asked = [...oracle.stored.values()].filter((each) => attemptsOf(each).length > 0);
      const checkout = pick(asked, session);
      const own = checkout && pick(attemptsOf(checkout), session + payer);
      if (checkout === undefined || own === undefined) return;
      const { tenant } = checkout;
      const neighbour = asked.find((each) => each !== checkout && sameTenant(each.tenant, tenant));
      const other = names === 'two' && neighbour ? attemptsOf(neighbour).at(-1) : undefined;
      const amount = Math.max(1, Math.round((own.amount + (other?.amount ?? 0)) * share));
      const named = { own: [own.reference], unknown: [UNKNOWN], none: [] };
      const all = names === 'two' ? [own.reference, ...(other ? [other.reference] : [])] : named[names];
      bank.transfer({ tenant, amount, names: all, spelling, payer, number });
    },

    assign({ entry: number, session, share }: Of<'assign'>): void {
      const known = pickEntry(
        number,
        ({ state, sentBack }) => state === 'open' && sentBack?.state !== 'pending',
      );
      if (known === undefined) return;
      const { tenant, entry } = known;
      const checkout = pick(
        [...oracle.stored.values()].filter((each) => sameTenant(each.tenant, tenant)),
        session,
      );
      if (checkout === undefined) return;
      const amount = isReturn(entry) ? entry.amount : Math.max(1, Math.ceil(unassigned(entry) * share));
      askAbout(tenant, entry, { type: 'assign', parts: [{ checkout: checkout.id, amount }] });
    },

    decide({ entry: number, how }: Of<'decide'>): void {
      const isUnder = ({ state, sentBack }: BankEntry) =>
        how === 'reopen' ? state === 'ignored' || sentBack?.state === 'pending' : state === 'open';
      const known = pickEntry(number, isUnder);
      if (known) askAbout(known.tenant, known.entry, { type: how, reason: 'so' });
    },

    /** Makes a payment file like the route: due refunds and entries are looked up, and decided on once more. */
    async makePaymentFile(tenant: Tenant): Promise<void> {
      const { store, isAlive } = process();
      try {
        const settings = (await store.accounts.fetch(tenant.account))?.settings[tenant.mode];
        const [account] = settings?.receivingAccounts ?? [];
        if (!settings || !account) return;
        const found = await outgoingFrom(store, tenant, account, settings.receivingAccounts);
        if (!isAlive()) return;
        askElse<'payment_file'>(tenant, 'POST /v3/payment_file', (now) => ({
          subject: 'payment_file',
          now,
          id: newId('bfl', now),
          account,
          executeOn: new Date(now).toISOString().slice(0, 10),
          ...found,
        }));
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) oracle.fault(`no payment file could be made: ${error}`);
      }
    },
  };
}
