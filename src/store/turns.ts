/**
 * The queue of lists: who asks for many waits for his own, and others have their turns in between. It is bounded, for each
 * tenant and in all; when it is full, whoever waits with the most gives way.
 */
import { StoreUnavailable } from './errors.ts';

export type Waiting = { readonly tenant: string; readonly reject: (error: Error) => void };

export const defaultTurns = {
  /** Lists that may wait, in all and of one tenant. */
  maxWaiting: 1000,
  maxWaitingOfTenant: 250,
};

export function createTurns<J extends Waiting>({ maxWaiting, maxWaitingOfTenant }: typeof defaultTurns) {
  /** By tenant; the one whose turn it is comes first. */
  const waiting = new Map<string, J[]>();
  let count = 0;

  const nextTenant = (isBusy: (tenant: string) => boolean) =>
    waiting.keys().find((tenant) => !isBusy(tenant));

  return {
    /** Throws where there is no room. */
    enter(job: J): void {
      const own = waiting.get(job.tenant) ?? [];
      if (own.length >= maxWaitingOfTenant) throw tooMany();
      if (count >= maxWaiting) {
        const [most = own] = [...waiting.values()].sort((a, b) => b.length - a.length);
        const last = most.length > own.length + 1 ? most.pop() : undefined;
        if (last === undefined) throw tooMany();
        count--;
        last.reject(tooMany());
      }
      own.push(job);
      waiting.set(job.tenant, own);
      count++;
    },

    /** Tells whether anybody waits of whom nothing is under way. */
    hasNext: (isBusy: (tenant: string) => boolean): boolean => nextTenant(isBusy) !== undefined,

    /** Takes the first of the tenant whose turn it is, of whom nothing is under way; behind it all others come first. */
    takeNext(isBusy: (tenant: string) => boolean): J | undefined {
      const tenant = nextTenant(isBusy);
      if (tenant === undefined) return undefined;
      const own = waiting.get(tenant) ?? [];
      const job = own.shift();
      waiting.delete(tenant);
      if (own.length > 0) waiting.set(tenant, own);
      count--;
      return job;
    },

    /** Takes all. */
    takeAll(): J[] {
      const all = [...waiting.values()].flat();
      waiting.clear();
      count = 0;
      return all;
    },
  };
}

const tooMany = () => new StoreUnavailable('too many lists wait already');
