import { randomUUID } from 'node:crypto';

/** Ids such as `req_5f3a9c1b0e7d-1`: unique across processes, cheap to make. A client may bring its own. */
export function requestIds() {
  const process = randomUUID().replaceAll('-', '').slice(0, 12);
  let count = 0;
  return ({ headers }: { headers: Record<string, string | string[] | undefined> }): string => {
    const given = headers['x-request-id'];
    if (typeof given === 'string' && /^[\w.-]{1,64}$/.test(given)) return given;
    return `req_${process}-${(++count).toString(36)}`;
  };
}
