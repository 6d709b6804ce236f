/** The envelopes of the API's answers. */
import type { Answer } from '../store/store.ts';

/** The envelope of a success. `operation` is such as `CHECKOUT.FETCH`, `data` is JSON already. */
export function envelope(operation: string, data: string): string {
  return `{"status":"success","message":"${operation}.SUCCESS","data":${data}}`;
}

/** The envelope of a list; `rows` are JSON already. */
export function listEnvelope(
  operation: string,
  rows: readonly string[],
  hasMore: boolean,
  cursor: string | null,
): string {
  const [head, end] = listEnds(operation, hasMore, cursor);
  return head + rows.join(',') + end;
}

/** The same of rows that are bytes already, with commas between them. */
export function listBytes(
  operation: string,
  rows: readonly Uint8Array[],
  hasMore: boolean,
  cursor: string | null,
): Uint8Array[] {
  const [head, end] = listEnds(operation, hasMore, cursor);
  return [Buffer.from(head), ...rows, Buffer.from(end)];
}

function listEnds(operation: string, hasMore: boolean, cursor: string | null): [head: string, end: string] {
  return [
    `{"status":"success","message":"${operation}.SUCCESS","data":[`,
    `],"has_more":${hasMore},"next_cursor":${JSON.stringify(cursor)}}`,
  ];
}

/** The ETag of a version, or of a tag. */
export function etagOf(version: number | string): string {
  return `"${version}"`;
}

/** A success of this operation as it is sent, and as it is kept for a repetition of the request. */
export function success(
  operation: string,
  data: string,
  headers: Answer['headers'] = {},
  statusCode = 200,
): Answer {
  return { statusCode, headers, body: envelope(operation, data) };
}

/** The same for something new, which is at this address. */
export function created(operation: string, data: string, location: string, headers = {}): Answer {
  return success(operation, data, { ...headers, location }, 201);
}
