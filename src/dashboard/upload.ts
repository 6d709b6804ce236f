/** Forms with a file. Their fields come before it, so that the file is read only for whoever may send it. */
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, Transform } from 'node:stream';
import type { BusboyInstance } from '@fastify/busboy';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { UPLOAD_LIMIT_BYTES } from '../http/routes/bank-statement.ts';

export type Upload = {
  /** Name that the browser has told. */
  readonly name: string;
  /** True for a file that is announced to be longer than any that is taken: nobody has to read it to know. */
  readonly isTooLarge: boolean;
  readonly content: Readable;
};

/** Longest form with a file: the file, and room for the fields before it. */
const MAX_FORM_BYTES = UPLOAD_LIMIT_BYTES + 2 ** 18;
/** Bytes that are dropped of a form that is longer, or does not say how long it is, once it is answered. */
const MAX_DROPPED_BYTES = 2 ** 20;
/** Time for the client to read the answer, behind which its connection ends. */
const LINGER_MS = 2_000;

/** Limits of the fields; the API has its own for the file. */
const MAX_FIELDS = 100;
const MAX_FIELD_BYTES = 131_072;

const TYPE = 'multipart/form-data';

/** Lets a part of the dashboard take forms with a file, which `uploadIn` reads. */
export function takeUploads(app: FastifyInstance): void {
  app.addContentTypeParser(TYPE, (_request, _body, done) => done(null));
}

/** A form that cannot be read, or has more than a form of ours. */
const unreadable = (statusCode: 400 | 413) =>
  Object.assign(new Error('the form cannot be read'), { statusCode });

/** Reads the fields of the form into the body of the request; the file that follows them, or null where there is none. */
export async function uploadIn(request: FastifyRequest): Promise<Upload | null> {
  // A form without a file may come as any other: one that was kept over a sign-in does.
  if (!request.headers['content-type']?.toLowerCase().startsWith(TYPE)) return null;
  const fields = new Map<string, string[]>();
  const file = await fileBehind(request.raw, (name, value) => {
    fields.set(name, [...(fields.get(name) ?? []), value]);
  });
  request.body = Object.fromEntries(
    [...fields].map(([name, all]) => [name, all.length === 1 ? all[0] : all]),
  );
  // A browser sends a part for a file that nobody has chosen.
  return file?.name === '' ? null : file;
}

/** The file of the form, as soon as it begins; fields before it are told. */
async function fileBehind(
  raw: IncomingMessage,
  field: (name: string, value: string) => void,
): Promise<Upload | null> {
  // Loaded for the first file: many services never see one.
  const { Busboy } = await import('@fastify/busboy');
  return new Promise((resolve, reject) => {
    let file: Upload | null = null;
    /** Tells whoever reads the file, or else whoever waits for it. */
    const fail = (error: Error) => {
      raw.unpipe();
      file?.content.destroy(error);
      reject(error);
    };
    const headers = { ...raw.headers, 'content-type': raw.headers['content-type'] ?? '' };
    const limits = { fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, files: 1, parts: MAX_FIELDS + 1 };
    let parser: BusboyInstance;
    try {
      parser = new Busboy({ headers, limits });
    } catch {
      reject(unreadable(400));
      return;
    }
    parser.on('field', (name, value, isNameCut, isValueCut) => {
      // Nobody waits for what comes behind the file.
      if (file !== null) return;
      if (isNameCut || isValueCut) fail(unreadable(413));
      else field(name, value);
    });
    parser.on('file', (_field, content, name) => {
      // The reader is told of a form that cannot be read, and not in the words of the parser.
      const passed = content.pipe(untilRefused());
      content.on('error', () => fail(unreadable(400)));
      // Until somebody reads it, errors are no failure.
      passed.on('error', () => {});
      file = { name: name ?? '', isTooLarge: (lengthOf(raw) ?? 0) > MAX_FORM_BYTES, content: passed };
      resolve(file);
    });
    parser.on('fieldsLimit', () => fail(unreadable(413)));
    parser.on('partsLimit', () => fail(unreadable(413)));
    parser.on('error', () => fail(unreadable(400)));
    parser.on('finish', () => resolve(file));
    raw.once('close', () => raw.readableEnded || fail(unreadable(400)));
    raw.pipe(parser);
  });
}

/**
 * Passes a file on up to the piece for which the API refuses it. Nothing is read behind that: the API drops what is left of
 * a body that it refuses, which need not have an end.
 */
function untilRefused(): Transform {
  let bytes = 0;
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      this.push(piece);
      if (bytes <= UPLOAD_LIMIT_BYTES) done();
    },
  });
}

/** The bytes of a short file; null for one that has more. */
export async function bytesOf(content: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of content) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > maxBytes) return null;
  }
  return Buffer.concat(pieces);
}

/** Length that a body is announced to have; null for one that comes in chunks, of whatever length. */
const lengthOf = ({ headers: { 'content-length': length } }: IncomingMessage): number | null =>
  length === undefined ? null : Number(length);

/**
 * Drops what is left of the body, which nobody reads any more: the answer goes out over the same connection, and a browser
 * reads it behind the end of what it sends. Of a body that is too long only the beginning is dropped; then nothing more is
 * read, and the connection ends.
 */
export function leaveRest({ raw }: FastifyRequest): void {
  raw.unpipe();
  const length = lengthOf(raw);
  let left = length === null || length > MAX_FORM_BYTES ? MAX_DROPPED_BYTES : MAX_FORM_BYTES;
  raw.on('data', ({ length }: Buffer) => {
    left -= length;
    if (left > 0 || raw.isPaused()) return;
    raw.pause();
    setTimeout(() => raw.socket.destroy(), LINGER_MS).unref();
  });
  raw.resume();
}

/** The content, of which a copy is kept while it is no longer than this; `kept` is null for a longer one. */
export function keeping(
  content: Readable,
  maxBytes: number,
): { readonly content: Readable; readonly kept: () => Buffer | null } {
  let pieces: Buffer[] | null = [];
  let bytes = 0;
  const passing = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      if (bytes > maxBytes) pieces = null;
      pieces?.push(piece);
      done(null, piece);
    },
  });
  // The reader is told of errors.
  pipeline(content, passing, () => {});
  return { content: passing, kept: () => pieces && Buffer.concat(pieces) };
}
