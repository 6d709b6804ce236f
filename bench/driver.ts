/**
 * The driver of PostgreSQL alone, in a process of its own: so many selects under way at once on one connection, as the
 * service has one for this. Over HTTP it does one
 * select for each request and answers the row as JSON, filled up to as many bytes as the service answers.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import postgres from 'postgres';
import type { Subjects } from './load/job.ts';
import { readSubjects } from './load/subjects.ts';

export type DriverJob = { readonly seconds: number; readonly underWay: number; readonly subjects: Subjects };
export type DriverResult = { readonly answered: number; readonly seconds: number; readonly cpuUs: number };

const sql = postgres(process.argv[2] ?? '', { max: 1, fetch_types: false });
const answerBytes = Number(process.argv[3]);
const select = (id: string) =>
  sql<
    { data: unknown }[]
  >`SELECT id, version, event_count, data FROM checkout WHERE account = 1 AND live = false AND id = ${id}`;

async function run({ seconds, underWay, subjects }: DriverJob): Promise<DriverResult> {
  const all = readSubjects(subjects).toString('latin1');
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  const until = startedAt + seconds * 1000;
  let answered = 0;
  const asking = async () => {
    while (performance.now() < until) {
      const at = subjects.width * Math.floor(Math.random() * subjects.count);
      const [row] = await select(all.slice(at, at + subjects.width));
      if (row === undefined) throw new Error('a session is missing');
      answered++;
    }
  };
  await Promise.all(Array.from({ length: underWay }, asking));
  const cpu = process.cpuUsage(cpuBefore);
  return { answered, seconds: (performance.now() - startedAt) / 1000, cpuUs: cpu.user + cpu.system };
}

const server = createServer(async (request, response) => {
  const [row] = await select(request.url?.split('/').at(-1) ?? '');
  const body = JSON.stringify(row).padEnd(answerBytes);
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
process.on('message', (job: DriverJob) => {
  run(job).then(
    (result) => process.send?.(result),
    (error) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
