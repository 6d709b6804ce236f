/** Everybody whom a service tells of changes while it is being crashed: what they have heard must be there afterwards. */
import type { Books } from './books.ts';
import type { Report } from './findings.ts';
import type { Load } from './load.ts';

type Heard = {
  /** Ids of events. */
  readonly events: Set<string>;
  /** The newest version of each session. */
  readonly versions: Map<string, number>;
};

const PATIENCE_MS = 2_000;

/** Reads sessions, a list and the feed, over and over, until the service is gone. */
export async function listen(load: Load, url: string): Promise<Heard> {
  const heard: Heard = { events: new Set(), versions: new Map() };

  async function ask(path: string): Promise<Response | null> {
    try {
      const response = await fetch(url + path, {
        headers: { authorization: load.authorization },
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      return response.status === 200 ? response : null;
    } catch {
      return null;
    }
  }

  /** Sessions that changes may be on their way for. */
  async function readSessions(): Promise<void> {
    for (const { id } of load.sessions.slice(-8)) {
      const response = await ask(`/v3/checkout/${id}`);
      if (response === null) continue;
      const version = Number(response.headers.get('etag')?.slice(1, -1));
      heard.versions.set(id, Math.max(version, heard.versions.get(id) ?? 0));
      await response.text();
    }
  }

  async function readList(): Promise<void> {
    const response = await ask('/v3/checkout?limit=20');
    if (response === null) return;
    for (const { id } of JSON.parse(await response.text()).data) {
      if (!heard.versions.has(id)) heard.versions.set(id, 1);
    }
  }

  let after = '';
  async function readFeed(): Promise<void> {
    const response = await ask(`/v3/event?limit=100${after}`);
    if (response === null) return;
    const { data, next_cursor: cursor } = JSON.parse(await response.text());
    for (const { id } of data) heard.events.add(id);
    after = `&after=${cursor}`;
  }

  async function repeat(read: () => Promise<void>): Promise<void> {
    while ((await ask('/livez')) !== null) await read().catch(() => {});
  }
  await Promise.all([readSessions, readSessions, readList, readFeed].map(repeat));
  return heard;
}

/** Holds the database to what was heard of it, by webhooks too; says how much that was. */
export function checkHeard(
  books: Books,
  { events, versions }: Heard,
  webhooks: ReadonlySet<string>,
  report: Report,
): number {
  const kept = new Set(books.all('SELECT id FROM event').map(({ id }) => String(id)));
  for (const id of [...events, ...webhooks])
    if (!kept.has(id)) report('lost', `event ${id}, which was told of`);
  const now = new Map(
    books.all('SELECT id, version FROM checkout').map(({ id, version }) => [String(id), Number(version)]),
  );
  for (const [id, version] of versions) {
    if ((now.get(id) ?? 0) < version)
      report('lost', `version ${version} of session ${id}, which was told of`);
  }
  return events.size + versions.size + webhooks.size;
}
