/** Clients of the service: they send requests, send them again, and have each answer looked at. */
import type { CheckoutId } from '../../src/checkout/ids.ts';
import { type Tenant, tenantName } from '../../src/checkout/tenant.ts';
import { success } from '../../src/http/envelope.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import type { Command, Serialize, Subject, Value } from '../../src/writer/command.ts';
import { startAtRail, syncAttempt } from '../../src/writer/rails.ts';
import type { Session } from './model.ts';
import type { Entry, Request } from './oracle.ts';
import { type Process, serializer } from './process.ts';
import type { Asked } from './requests.ts';
import type { Stage } from './stage.ts';

const OPEN = ['requires_action', 'processing', 'unknown'];
const RETURN_URL = 'https://pay.example.com/return';

type Sent = { readonly again: (otherBody: boolean) => void };

export type Clients = ReturnType<typeof createClients>;

export function createClients({ world, oracle, process }: Stage) {
  const { fault } = oracle;
  const sent: Sent[] = [];
  const asked = new Map<string, number>();

  /** Keys count the requests of a tenant to an operation: elsewhere the same key is another one, as it is for clients. */
  function nextKey(tenant: Tenant, operation: string): string {
    const name = `${tenantName(tenant)} ${operation}`;
    const count = asked.get(name) ?? 0;
    asked.set(name, count + 1);
    return `k${count}`;
  }

  /** Executes a command for a client, and has its answer looked at. */
  function ask<S extends Subject>(
    request: Request,
    command: Command<S>,
    serialize: Serialize<Value<S>>,
    run: Process['execute'] = process().execute,
  ): Promise<boolean> {
    const { isAlive } = process();
    const entry: Entry = oracle.sent(request);
    return run(command, serialize).then(
      (executed) => {
        world.stir();
        if (!isAlive()) return false;
        oracle.answered(entry, executed);
        return executed.result.kind === 'change';
      },
      (error) => {
        if (!isAlive()) return false;
        if (!(error instanceof StoreUnavailable)) fault(`${request.operation} failed: ${error.stack}`);
        oracle.dropped(entry);
        return false;
      },
    );
  }

  function originOf(request: Request) {
    const { tenant, key, operation, hash } = request;
    return { tenant, actor: 'ak', requestId: key, idempotency: { key, operation, requestHash: hash } };
  }

  return {
    sent,

    /** Sends a request about a session. A payer goes on to the page of the provider. */
    askAbout({ tenant, operation, make }: Asked): void {
      const key = nextKey(tenant, operation);
      const again = (otherBody: boolean) => {
        if (!process().isAlive()) return;
        const { store, execute, rails } = process();
        const now = oracle.nowOf(tenant);
        const { id, command } = make(now);
        const hash = otherBody ? 'other' : 'body';
        const request = { tenant, operation, key, hash, checkout: { id, command } };
        const asked = { subject: 'checkout', origin: originOf(request), id, command } as const;
        const answered = ask(
          request,
          asked,
          (checkout) => success('SIM', serializer.checkout(checkout)),
          execute,
        );
        if (command.type !== 'start_attempt') return;
        void answered.then(async (isStarted) => {
          const checkout = isStarted ? await store.checkouts.fetch(tenant, id) : null;
          const attempt = checkout?.attempts.find((each) => each.id === command.attemptId);
          if (!checkout || !attempt) return;
          const dependencies = { store, execute, rails, onAlert: () => {}, onSilence: () => {} };
          await startAtRail(dependencies, checkout, attempt, RETURN_URL, now).catch(() => {});
        });
      };
      sent.push({ again });
      again(false);
    },

    /** A payer is back: the rail is asked, or once more to make the page that was never shown, as the payer's page does. */
    comeBack({ id, tenant }: Session): void {
      const { store, execute, rails } = process();
      const dependencies = { store, execute, rails, onAlert: () => {}, onSilence: () => {} };
      const asked = async () => {
        const checkout = await store.checkouts.fetch(tenant, id as CheckoutId);
        const attempt = checkout?.attempts.findLast(({ status }) => OPEN.includes(status));
        if (!checkout || !attempt) return;
        const now = oracle.nowOf(tenant);
        const isUnshown = attempt.status === 'requires_action' && !attempt.details.url;
        if (isUnshown) await startAtRail(dependencies, checkout, attempt, RETURN_URL, now);
        else await syncAttempt(dependencies, checkout, attempt, now);
      };
      void asked().catch((error) => {
        if (!(error instanceof StoreUnavailable)) fault(`a payer could not come back: ${error}`);
      });
    },

    /** Sends a request about something else. */
    askElse<S extends Subject>(
      tenant: Tenant,
      operation: string,
      make: (now: number) => Omit<Command<S>, 'origin'>,
    ): void {
      const key = nextKey(tenant, operation);
      const again = (otherBody: boolean) => {
        if (!process().isAlive()) return;
        const request = { tenant, operation, key, hash: otherBody ? 'other' : 'body', checkout: null };
        const command = {
          ...make(oracle.nowOf(tenant)),
          origin: originOf(request),
        } as unknown as Command<S>;
        void ask(request, command, () => success('SIM', '{}'));
      };
      sent.push({ again });
      again(false);
    },

    /** Moves the clock of a tenant. */
    advance(tenant: Tenant, seconds: number): void {
      const { worker, execute, realNow } = process();
      const operation = 'POST advance';
      const request = {
        tenant,
        operation,
        key: nextKey(tenant, operation),
        hash: 'body',
        checkout: null,
        waits: true,
      } as const;
      sent.push({ again: () => {} });
      const move = () =>
        ask(
          request,
          {
            subject: 'clock',
            origin: originOf(request),
            now: oracle.nowOf(tenant),
            realNow: realNow(),
            advanceMs: seconds * 1000,
          },
          () => success('SIM', '{}'),
          execute,
        );
      void worker.advance(tenant, move).catch((error) => {
        if (!(error instanceof StoreUnavailable)) fault(`the clock could not be moved: ${error}`);
      });
    },
  };
}
