/** Money that comes and goes by other ways than requests, written into a database beside the service that has it. */
import { defaultSettings } from '../../src/accounts/settings.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import type { Store, Writes } from '../../src/store/store.ts';
import {
  attempt,
  bankEntry,
  bankFile,
  changed,
  eventOf,
  payment,
  providerEvent,
  refund,
  session,
  standing,
} from '../store/build.ts';
import { configureAccount } from '../support/configure.ts';

/** The service does not know these sessions from before, so that it reads them as they are. */
export function createMovedMoney(path: string, tenant: Tenant) {
  const card = attempt('card', { rail: 'stripe' });
  const open = standing('RF1');
  const given = refund({ attempt: card.id, rail: card.rail });
  const first = session(tenant, {
    attempts: [open, card],
    payments: [payment('charge', { rail: card.rail, attempt: card.id })],
    refunds: [given],
  });
  const waiting = bankEntry('line-1');
  const undecided = bankEntry('line-2', { state: 'open', dueAt: null });
  const event = providerEvent('evt_1', { body: '{"text": "Zürich\\n"}' });

  async function beside(work: (store: Store, write: (writes: Writes) => Promise<void>) => Promise<void>) {
    const store = openSqliteStore(path);
    try {
      await work(store, (writes) => store.commit([{ needs: { tenant }, decide: () => [writes] }]));
    } finally {
      await store.close();
    }
  }

  function change(before: Checkout | null, after: Checkout): Writes {
    const audit = { subject: after.id, version: after.version, at: Date.now(), actor: 'rail', requestId: '' };
    return {
      checkout: { before, after },
      events: [eventOf(after)],
      audit: { ...audit, action: before === null ? 'create' : 'report' },
    };
  }

  const configure = async (store: Store, taxId: string) => {
    const account = await store.accounts.fetch(tenant.account);
    const settings = account?.settings[tenant.mode] ?? defaultSettings;
    await configureAccount(store, tenant, { ...settings, business: { ...settings.business, taxId } });
  };

  return {
    bring: () =>
      beside(async (store, write) => {
        await configure(store, 'DE „1“');
        await write(change(null, first));
        for (const each of [waiting, undecided]) await write({ bankEntry: each });
        await write({ providerEvent: event });
        await write({
          bankFile: bankFile('one', { kind: 'payments', content: '<Zahlungen>\n\tZürich</Zahlungen>' }),
        });
      }),

    /** Changes the same rows in every possible way. */
    change: () =>
      beside(async (store, write) => {
        await configure(store, 'DE 2');
        const after = changed(first, {
          attempts: [{ ...open, status: 'cancelled' }, card],
          refunds: [
            { ...given, status: 'succeeded' },
            refund({ attempt: card.id, rail: card.rail, amount: 7 }),
          ],
        });
        await write(change(first, after));
        await write(change(null, session(tenant, { attempts: [standing('RF2')] })));
        await write({ bankEntry: { ...waiting, state: 'done', dueAt: null, tries: 1 } });
        await write({ bankEntry: { ...undecided, suggestions: [{ checkout: 'chk_1', score: 70 }] } });
        await write({ bankEntry: bankEntry('line-3', { state: 'ignored', dueAt: null }) });
        await write({ providerEvent: { ...event, state: 'done', dueAt: null, tries: 1 } });
        await write({ providerEvent: providerEvent('evt_2') });
        await write({ bankFile: bankFile('two') });
      }),
  };
}
