/** A client of the stream of events: reads its blocks one by one. */
import assert from 'node:assert/strict';
import type { TestService } from '../support/service.ts';
import type { Data } from './shop.ts';

/** The fields between two empty lines, by name; a comment has the name ''. */
export type Block = Readonly<Record<string, string>>;

export type EventSource = {
  readonly headers: Headers;
  /** The next block, or null at the end of the stream. */
  next(): Promise<Block | null>;
  /** The next that is an event. */
  nextEvent(): Promise<{ readonly id: string; readonly event: string; readonly data: Data }>;
  close(): void;
};

export async function openEventSource(
  { url, key }: Pick<TestService, 'url' | 'key'>,
  query = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<EventSource> {
  const client = new AbortController();
  const response = await fetch(`${url}/v3/event${query}`, {
    headers: { authorization: key.authorization, accept: 'text/event-stream', ...headers },
    signal: client.signal,
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  const blocks = blocksOf(response.body?.pipeThrough(new TextDecoderStream()) ?? assert.fail());
  const next = async () => (await blocks.next()).value ?? null;
  return {
    headers: response.headers,
    next,
    async nextEvent() {
      for (;;) {
        const { id = '', event = '', data } = (await next()) ?? assert.fail('the stream has ended');
        if (data !== undefined) return { id, event, data: JSON.parse(data) };
      }
    },
    close: () => client.abort(),
  };
}

async function* blocksOf(chunks: AsyncIterable<string>): AsyncGenerator<Block, null> {
  let text = '';
  for await (const chunk of chunks) {
    const parts = (text + chunk).split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      yield Object.fromEntries(
        part.split('\n').map((line) => {
          const [, name = '', value = ''] = /^(\w*): ?(.*)$/s.exec(line) ?? assert.fail(line);
          return [name, value];
        }),
      );
    }
  }
  assert.equal(text, '', 'the stream ends between two blocks');
  return null;
}
