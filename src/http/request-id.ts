import { randomUUID } from 'node:crypto';
import { createBeside } from '../lib/beside.ts';

type Request = { readonly headers: Record<string, string | string[] | undefined> };

/**
 * Ids such as `req_5f3a9c1b0e7d-1`: unique across processes, cheap to make, and the same wherever it is asked of one request. A
 * client may bring its own.
 */
export function requestIds() {
  const process = randomUUID().replaceAll('-', '').slice(0, 12);
  const ids = createBeside<Request, string>('id');
  let count = 0;
  return (request: Request): string => {
    const given = request.headers['x-request-id'];
    if (typeof given === 'string' && /^[\w.-]{1,64}$/.test(given)) return given;
    const known = ids.get(request);
    if (known !== undefined) return known;
    const id = `req_${process}-${(++count).toString(36)}`;
    ids.set(request, id);
    return id;
  };
}
