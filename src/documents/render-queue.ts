/**
 * Render queue: documents are drawn in threads, since a long one takes seconds. Tenants have their turns: each has one
 * document drawn at a time, so that there is always a thread for another one.
 */
import { Worker } from 'node:worker_threads';
import type { Locale } from '../i18n/locale.ts';
import type { InvoiceFacts, ReceiptFacts } from './facts.ts';

const defaults = {
  threads: 2,
  /** Documents that may wait for their turn or be drawn, in all. */
  maxWaiting: 100,
  maxWaitingOfTenant: 25,
  /** Time for one document; the longest honest one takes a tenth of it. */
  drawMs: 30_000,
  /** Time after which an unused thread ends, and its memory with it. */
  idleMs: 60_000,
  /** Memory of a thread for JavaScript; beyond, the document fails. */
  heapMb: 256,
  /** And for what is new in it: with more, V8 only keeps more garbage. (Measured: 40 MB less, in the same time.) */
  youngHeapMb: 8,
};

/** Error: too many documents wait already; later there may be room. */
export class TooManyDocuments extends Error {
  override name = 'TooManyDocuments';
}

/** Error: all readers of the document left before it was begun. */
export class NobodyWaits extends Error {
  override name = 'NobodyWaits';
}

/** A document as the thread gets it: the functions of a language stay outside. */
export type Drawing = { readonly locale: { readonly language: string } & Omit<Locale, 'language'> } & (
  | { readonly kind: 'receipt'; readonly facts: Omit<ReceiptFacts, 'locale'> }
  | { readonly kind: 'invoice'; readonly facts: Omit<InvoiceFacts, 'locale'> }
);

type Job = {
  readonly tenant: string;
  readonly drawing: Drawing;
  readonly resolve: (pdf: Buffer) => void;
  readonly reject: (error: Error) => void;
};

type Thread = { readonly worker: Worker; job: Job | null; timer: NodeJS.Timeout };

export function createRenderQueue(options: Partial<typeof defaults> = {}) {
  const limits = { ...defaults, ...options };
  /** Waiting jobs by tenant; the tenant whose turn is next comes first. */
  const waiting = new Map<string, Set<Job>>();
  const threads = new Set<Thread>();

  const drawn = (): Job[] => [...threads].flatMap(({ job }) => job ?? []);

  function enter(job: Job): void {
    const others = waiting.get(job.tenant) ?? new Set();
    const count = [...waiting.values()].reduce((sum, { size }) => sum + size, drawn().length);
    const ofTenant = others.size + drawn().filter(({ tenant }) => tenant === job.tenant).length;
    if (count >= limits.maxWaiting || ofTenant >= limits.maxWaitingOfTenant) {
      throw new TooManyDocuments(
        `${count} documents are being waited for, ${ofTenant} of them of this tenant.`,
      );
    }
    waiting.set(job.tenant, others.add(job));
  }

  /** The next job of a tenant of which nothing is drawn. */
  function takeNext(): Job | null {
    for (const [tenant, jobs] of waiting) {
      const [job] = jobs;
      if (job === undefined || drawn().some((each) => each.tenant === tenant)) continue;
      leave(job);
      return job;
    }
    return null;
  }

  /** False for a job that is drawn already. */
  function leave(job: Job): boolean {
    const jobs = waiting.get(job.tenant);
    if (!jobs?.delete(job)) return false;
    if (jobs.size === 0) waiting.delete(job.tenant);
    return true;
  }

  /** The tenant has had its turn: the next one comes last. */
  function goToEnd({ tenant }: Job): void {
    const jobs = waiting.get(tenant);
    if (jobs === undefined) return;
    waiting.delete(tenant);
    waiting.set(tenant, jobs);
  }

  function work(): void {
    for (;;) {
      const idle = [...threads].find(({ job }) => job === null);
      if (idle === undefined && threads.size >= limits.threads) return;
      const job = takeNext();
      if (job === null) return;
      const thread = idle ?? start();
      thread.job = job;
      // A document keeps the process alive; a thread without one does not.
      thread.worker.ref();
      thread.worker.postMessage(job.drawing);
      setTimer(thread, limits.drawMs, new Error(`a document took longer than ${limits.drawMs} ms`));
    }
  }

  function start(): Thread {
    const worker = new Worker(new URL('./render-thread.ts', import.meta.url), {
      resourceLimits: {
        maxOldGenerationSizeMb: limits.heapMb,
        maxYoungGenerationSizeMb: limits.youngHeapMb,
      },
    });
    const thread: Thread = { worker, job: null, timer: setTimeout(() => {}, 0) };
    threads.add(thread);
    worker.on('message', (answer: { readonly pdf: Uint8Array } | { readonly error: Error }) => {
      const { job } = thread;
      thread.job = null;
      worker.unref();
      setTimer(thread, limits.idleMs, null);
      if (job !== null) goToEnd(job);
      if ('pdf' in answer) job?.resolve(Buffer.from(answer.pdf.buffer));
      else job?.reject(answer.error);
      work();
    });
    worker.once('error', (error) => end(thread, error as Error));
    return thread;
  }

  function setTimer(thread: Thread, afterMs: number, error: Error | null): void {
    clearTimeout(thread.timer);
    thread.timer = setTimeout(() => end(thread, error), afterMs).unref();
  }

  function end(thread: Thread, error: Error | null): void {
    threads.delete(thread);
    clearTimeout(thread.timer);
    void thread.worker.terminate();
    thread.job?.reject(error ?? new Error('the thread that drew the document has ended'));
    work();
  }

  /** Draws a document in its turn. One that is `unwanted` before its turn comes leaves its place at once. */
  function draw(tenant: string, drawing: Drawing, unwanted?: AbortSignal): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const job = { tenant, drawing, resolve, reject };
      enter(job);
      const giveUp = () => {
        if (leave(job)) reject(new NobodyWaits('Nobody waits for this document any more.'));
      };
      unwanted?.addEventListener('abort', giveUp, { once: true });
      work();
    });
  }

  return { draw };
}

const queue = createRenderQueue();

export type Reader = {
  /** Whose document it is; tenants have their turns. */
  readonly tenant?: string;
  readonly unwanted?: AbortSignal;
};

/**
 * A PDF (A4). The same facts make the same bytes. Rejects with `TooManyDocuments`, and with `NobodyWaits` where it was
 * `unwanted` before its turn came.
 */
export function receiptPdf({ locale, ...facts }: ReceiptFacts, reader: Reader = {}): Promise<Buffer> {
  return pdf({ kind: 'receipt', facts, locale: named(locale) }, reader);
}

/** A PDF (A4) with the way to pay; otherwise like `receiptPdf`. */
export function invoicePdf({ locale, ...facts }: InvoiceFacts, reader: Reader = {}): Promise<Buffer> {
  return pdf({ kind: 'invoice', facts, locale: named(locale) }, reader);
}

function pdf(drawing: Drawing, { tenant = '', unwanted }: Reader): Promise<Buffer> {
  return queue.draw(tenant, drawing, unwanted);
}

function named({ language, ...format }: Locale): Drawing['locale'] {
  return { language: language.id, ...format };
}
