/** Jobs of the load generator, and what comes of them. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { RequestText } from './template.ts';

/** Ids or tokens of the same length, one behind the other in a file; `count` of them from the place `from`. */
export type Subjects = {
  readonly path: string;
  readonly width: number;
  readonly from: number;
  readonly count: number;
};

export type Request = RequestText & {
  /** Ids or tokens of which one is drawn for `{subject}`, at random. */
  readonly subjects?: Subjects;
  /** Times that it is sent in each turn of all requests; 1 if absent. */
  readonly weight?: number;
};

export type Job = {
  /** Servers among which the connections are divided. */
  readonly urls: readonly string[];
  readonly requests: readonly Request[];
  readonly connections: number;
  readonly seconds: number;
  /** An open loop at this rate; absent, a closed one. */
  readonly perSecond?: number;
  /** Requests after which a closed loop ends, too. */
  readonly most?: number;
  /**
   * True if the generator polls instead of sleeping until there is an answer, so that who is measured does not pay for
   * waking it, on a machine that both share. It takes a whole processor then.
   */
  readonly polls?: boolean;
  /** True if 503 is no mistake, as where a list may take too long. */
  readonly mayBeRefused?: boolean;
};

export type Load = {
  /** Requests that were answered within the time. */
  readonly answered: number;
  readonly unanswered: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** Bytes of an answer with its head, on average. */
  readonly answerBytes: number;
  /** Answers other than 2xx, counted. */
  readonly refused: readonly string[];
  /** Processor time of the generator. */
  readonly cpuUs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** Delay of an open loop: how much later than due the generator itself has sent. */
  readonly lateP99Ms: number;
  /** Answers of 2xx within the time; the 99th percentile is that of all of them. */
  readonly accepted: number;
  readonly acceptedP99Ms: number;
  /** The same without the time in which an open loop had no free connection for a request that was due. */
  readonly acceptedOnceSentP99Ms: number;
};

export type Generator = { run(job: Job): Promise<Load>; stop(): Promise<void> };

/** Starts a generator; its jobs fail if anything is refused, unless they say otherwise. */
export async function startGenerator(): Promise<Generator> {
  const child = fork(join(import.meta.dirname, 'generator.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  await once(child, 'message');
  return {
    async run(job) {
      child.send(job);
      const [told] = (await Promise.race([once(child, 'message'), ended])) as [
        { load?: Load; error?: string } | number,
      ];
      const { load, error } = typeof told === 'object' && told !== null ? told : {};
      const about = job.requests.map(({ method, path }) => `${method} ${path}`).join(', ');
      if (load === undefined) throw new Error(`${about}: ${error ?? 'the load generator has ended'}`);
      const mistakes = load.refused.filter((each) => !(job.mayBeRefused && each.endsWith('× 503')));
      if (mistakes.length > 0) throw new Error(`${about}: ${load.refused.join(', ')}`);
      if (load.unanswered > 0) throw new Error(`${about}: ${load.unanswered} requests had no answer`);
      return load;
    },
    async stop() {
      child.disconnect();
      await ended;
    },
  };
}
