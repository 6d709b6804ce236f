/**
 * The feed of events as it grows: a stream (text/event-stream) that is opened again wherever it broke off, behind the
 * last event that was dealt with. Whoever follows misses none and sees none twice.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, Refused, Unreachable } from '../client.ts';
import { Failure } from '../failure.ts';
import { createParser } from './server-sent.ts';

export type Told = {
  /** Behind which event the feed goes on. */
  readonly cursor: string;
  /** The frozen bytes, as receivers get them; null where there is no event, but only a place to go on from. */
  readonly body: string | null;
};

type Options = {
  readonly after: string;
  readonly types: readonly string[];
  readonly stop: AbortSignal;
  /** Told of every connection, the first one and those after a loss. */
  readonly onConnected: (isFirst: boolean) => void;
  readonly onLost: (reason: string) => void;
};

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** The service says something more often than that; without it a machine that slept would wait for ever. */
const SILENCE_MS = 60_000;

/** An event counts as dealt with as soon as the next one is asked for. Throws where trying again cannot help. */
export async function* follow(
  client: Client,
  { after, types, stop, onConnected, onLost }: Options,
): AsyncGenerator<Told> {
  const path = `/event${types.length === 0 ? '' : `?${new URLSearchParams({ type: types.join(',') })}`}`;
  let cursor = after;
  let wasConnected = false;
  let isLost = false;
  for (let pauseMs = FIRST_PAUSE_MS; !stop.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    let trouble = 'the stream has ended';
    try {
      const stream = await client.stream(path, { 'last-event-id': cursor }, stop);
      onConnected(!wasConnected);
      wasConnected = true;
      isLost = false;
      for await (const told of readStream(stream)) {
        // Only what brings events is a good connection: one that is taken and cut off at once must not be hammered.
        if (told.body !== null) pauseMs = FIRST_PAUSE_MS;
        yield told;
        cursor = told.cursor;
      }
    } catch (error) {
      if (stop.aborted) return;
      if (isFinal(error) || !wasConnected) throw error;
      // The error of a broken stream is in the words of a library.
      trouble = error instanceof Failure ? error.message : 'the stream has broken off';
    }
    if (stop.aborted) return;
    if (!isLost) onLost(trouble);
    isLost = true;
    await pause(pauseMs, undefined, { signal: stop }).catch(() => {});
  }
}

/** A refusal is final, unless the service is short of time or about to stop. */
function isFinal(error: unknown): boolean {
  return error instanceof Refused && error.status !== 429 && error.status < 500;
}

async function* readStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Told> {
  const parser = createParser();
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await unlessSilent(reader.read());
      if (done) return;
      for (const { id, data } of parser.feed(decoder.decode(value, { stream: true })))
        yield { cursor: id, body: data };
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function unlessSilent<T>(reading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Unreachable(`nothing came for ${SILENCE_MS / 1000} seconds`)),
      SILENCE_MS,
    );
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}
