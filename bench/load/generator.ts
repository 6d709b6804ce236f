/**
 * The load generator, in a process of its own: raw sockets, requests as bytes that were made before, and of the answers
 * only status and length are read. It takes jobs from the process that has started it and says what came of each.
 *
 * A closed loop sends the next request of a connection when its answer is there. An open loop sends by the clock, on any
 * connection that is free, and latencies count from the moment at which a request was due.
 */
import { connect, type Socket } from 'node:net';
import { readAnswers } from './answers.ts';
import type { Job, Load } from './job.ts';
import { createLatencies } from './latencies.ts';
import { readSubjects } from './subjects.ts';
import { type Template, templateOf, writeSlots } from './template.ts';

/** Grace for pending answers after the end of a job. */
const LAST_ANSWERS_MS = 15_000;
const READ_BYTES = 64 * 1024;

/** Ids unique to this process: no other generator on this machine counts from the same number. */
let count = process.pid * 1e7 + (Date.now() % 1e5) * 100;

/** A request with the ids that it is about. */
type Prepared = { readonly template: Template; readonly subjects: Buffer; readonly width: number };

type Connection = { readonly send: (dueMs: number) => void; readonly socket: Socket };

async function run(job: Job): Promise<Load> {
  const prepared = job.requests.map((request): Prepared => {
    const { subjects } = request;
    const width = subjects?.width ?? 0;
    return {
      template: templateOf(request, width),
      subjects: subjects === undefined ? Buffer.alloc(0) : readSubjects(subjects),
      width,
    };
  });
  // Requests in turn, each as often as it weighs.
  const turns = prepared.flatMap((each, index) =>
    Array<Prepared>(job.requests[index]?.weight ?? 1).fill(each),
  );
  const latencies = createLatencies();
  const lateness = createLatencies();
  const accepted = createLatencies();
  const acceptedOnceSent = createLatencies();
  const statuses = new Map<number, number>();
  let sent = 0;
  let answered = 0;
  let bytes = 0;
  let underWay = 0;
  let isOver = false;
  let failed: (error: Error) => void = () => {};
  let drained: () => void = () => {};
  const failure = new Promise<never>((_, reject) => {
    failed = reject;
  });
  failure.catch(() => {});
  const { perSecond } = job;
  const idle: Connection[] = [];

  function open(url: URL): Promise<Connection> {
    const answers = readAnswers();
    const own = turns.map(({ template }) => Buffer.from(template.bytes));
    let due = 0;
    let sentAt = 0;
    const readBuffer = Buffer.allocUnsafe(READ_BYTES);
    const onread = {
      buffer: readBuffer,
      callback(length: number): boolean {
        try {
          const status = answers.take(readBuffer, length);
          if (status !== 0) complete(status);
        } catch (error) {
          failed(error as Error);
        }
        return true;
      },
    };
    const socket = connect({ port: Number(url.port), host: url.hostname, noDelay: true, onread });
    const connection: Connection = { send, socket };

    function send(dueMs: number): void {
      due = dueMs;
      sentAt = performance.now();
      const turn = sent++ % turns.length;
      const { template, subjects, width } = turns[turn] as Prepared;
      const request = own[turn] as Buffer;
      const subject = width === 0 ? 0 : width * Math.floor(Math.random() * (subjects.length / width));
      writeSlots(request, template.slots, subjects, subject, count++);
      underWay++;
      socket.write(request);
    }

    function complete(status: number): void {
      const now = performance.now();
      underWay--;
      answered++;
      bytes += answers.length();
      latencies.add(now - due);
      if (status >= 200 && status <= 299) {
        accepted.add(now - due);
        acceptedOnceSent.add(now - sentAt);
      } else statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (isOver || (job.most !== undefined && sent >= job.most)) {
        if (underWay === 0) drained();
      } else if (perSecond === undefined) send(now);
      else idle.push(connection);
    }

    return new Promise((resolve, reject) => {
      socket.once('error', (error) => {
        reject(error);
        failed(error);
      });
      socket.once('close', () => {
        if (!isOver) failed(new Error(`${url.href} has closed a connection`));
      });
      socket.once('connect', () => resolve(connection));
    });
  }

  const urls = job.urls.map((url) => new URL(url));
  const connections = await Promise.all(
    Array.from({ length: job.connections }, (_, index) => open(urls[index % urls.length] as URL)),
  );
  idle.push(...connections);
  const allAnswered = new Promise<void>((resolve) => {
    drained = resolve;
  });
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const endAt = startedAt + job.seconds * 1000;
  const counts = () => ({ answered, accepted: accepted.count() });
  // The last of what was due may be sent much later.
  const byTheEnd = until(endAt).then(counts);
  if (job.polls) poll();
  if (perSecond === undefined) for (const each of connections) each.send(performance.now());
  else await Promise.race([sendByTheClock(perSecond), failure]);
  if (perSecond === undefined) await Promise.race([until(endAt), allAnswered, failure]);
  const seconds = (Math.min(performance.now(), endAt) - startedAt) / 1000;
  const inTime = await Promise.race([byTheEnd, allAnswered.then(counts)]);
  const cpu = process.cpuUsage(cpuBefore);
  isOver = true;
  if (underWay > 0) {
    const givenUp = new Promise<void>((resolve) => setTimeout(resolve, LAST_ANSWERS_MS).unref());
    await Promise.race([allAnswered, failure, givenUp]);
  }
  for (const { socket } of connections) socket.destroy();
  return {
    answered: inTime.answered,
    unanswered: underWay,
    seconds,
    perSecond: inTime.answered / seconds,
    answerBytes: Math.round(bytes / answered),
    refused: [...statuses].map(([status, times]) => `${times} × ${status}`),
    cpuUs: cpu.user + cpu.system,
    p50Ms: latencies.percentile(0.5),
    p95Ms: latencies.percentile(0.95),
    p99Ms: latencies.percentile(0.99),
    longestMs: latencies.longest(),
    lateP99Ms: lateness.percentile(0.99),
    accepted: inTime.accepted,
    acceptedP99Ms: accepted.percentile(0.99),
    acceptedOnceSentP99Ms: acceptedOnceSent.percentile(0.99),
  };

  function poll(): void {
    if (!isOver) setImmediate(poll);
  }

  /** Sends what is due; what finds no free connection waits for one, and its latency grows. */
  async function sendByTheClock(rate: number): Promise<void> {
    const total = Math.round(rate * job.seconds);
    let waited = false;
    for (let next = 0; next < total; ) {
      const now = performance.now();
      if (now > endAt + LAST_ANSWERS_MS) return;
      const dueCount = Math.min(total, Math.floor(((now - startedAt) * rate) / 1000) + 1);
      while (next < dueCount) {
        // The one that has waited longest: one that is never used would be ended as slow.
        const connection = idle.shift();
        if (connection === undefined) break;
        const dueMs = startedAt + (1000 * next++) / rate;
        if (!waited) lateness.add(performance.now() - dueMs);
        connection.send(dueMs);
      }
      // Time spent waiting for an answer is not the generator's fault.
      waited = next < dueCount;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}

async function until(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms - performance.now()));
}

process.on('message', (job: Job) => {
  run(job).then(
    (load) => process.send?.({ load }),
    (error) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
