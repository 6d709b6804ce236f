/** The envelopes of the API's answers. */

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
  return (
    `{"status":"success","message":"${operation}.SUCCESS","data":[${rows.join(',')}],` +
    `"has_more":${hasMore},"next_cursor":${JSON.stringify(cursor)}}`
  );
}

export function etagOf(version: number): string {
  return `"${version}"`;
}
