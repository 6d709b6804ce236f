/** Forms with a file. Their fields come before it, so that the file is read only for whoever may send it. */
import { pipeline, type Readable, Transform } from 'node:stream';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';

export type Upload = {
  /** Name that the browser has told. */
  readonly name: string;
  readonly content: Readable;
};

/** Limits of the fields; the API has its own for the file. */
const MAX_FIELDS = 100;
const MAX_FIELD_BYTES = 131_072;

/** Lets a part of the dashboard take forms with a file. */
export async function takeUploads(app: FastifyInstance): Promise<void> {
  const limits = {
    fields: MAX_FIELDS,
    fieldSize: MAX_FIELD_BYTES,
    files: 1,
    parts: MAX_FIELDS + 1,
    fileSize: Number.POSITIVE_INFINITY,
  };
  await app.register(multipart, { limits });
}

/** Reads the fields of the form into the body of the request; the file that follows them, or null where there is none. */
export async function uploadIn(request: FastifyRequest): Promise<Upload | null> {
  // A form without a file may come as any other: one that was kept over a sign-in does.
  if (!request.isMultipart()) return null;
  const fields = new Map<string, string[]>();
  const parts = request.parts();
  let file: Upload | null = null;
  for (let next = await parts.next(); !next.done && file === null; ) {
    const { value: part } = next;
    if (part.type === 'file') file = { name: part.filename ?? '', content: part.file };
    else {
      if (part.valueTruncated === true)
        throw Object.assign(new Error('a field is too long'), { statusCode: 413 });
      fields.set(part.fieldname, [...(fields.get(part.fieldname) ?? []), String(part.value)]);
      next = await parts.next();
    }
  }
  request.body = Object.fromEntries(
    [...fields].map(([name, all]) => [name, all.length === 1 ? all[0] : all]),
  );
  // A browser sends a part for a file that nobody has chosen.
  return file?.name === '' ? null : file;
}

/** Takes what is left of the body, which nobody reads any more: the answer goes out over the same connection. */
export function leaveRest({ raw }: FastifyRequest): void {
  raw.unpipe();
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
  // Whoever reads it is told of errors.
  pipeline(content, passing, () => {});
  return { content: passing, kept: () => pieces && Buffer.concat(pieces) };
}
