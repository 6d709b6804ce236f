/**
 * The queue of work that takes long: who asks for much waits for his own, and others have their turns in between. It is
 * bounded, for each tenant and in all; when it is full, whoever waits with the most gives way.
 */

export type Waiting = { readonly tenant: string; readonly reject: (error: Error) => void };

export type TurnLimits = {
  /** Jobs that may wait, in all and of one tenant. */
  readonly maxWaiting: number;
  readonly maxWaitingOfTenant: number;
};

/** `tooMany` makes the error of a job for which there is no room. */
export function createTurns<J extends Waiting>(
  { maxWaiting, maxWaitingOfTenant }: TurnLimits,
  tooMany: () => Error,
) {
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

    /** Takes back a job that still waits; false if it does not. */
    leave(job: J): boolean {
      const own = waiting.get(job.tenant) ?? [];
      const place = own.indexOf(job);
      if (place < 0) return false;
      own.splice(place, 1);
      if (own.length === 0) waiting.delete(job.tenant);
      count--;
      return true;
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
