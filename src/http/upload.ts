/** Uploads that may be large: kept in a temporary file while they are processed. */
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { type Tenant, tenantName } from '../checkout/tenant.ts';
import { type Copy, withCopy } from '../ingest/copy.ts';
import { bodyStream } from './body-stream.ts';
import { RequestError } from './errors.ts';

const defaults = {
  maxUploads: 200,
  maxOfTenant: 20,
  /** Bytes in the temporary folder, in all. */
  maxBytes: 256 * 2 ** 20,
  /** Time without a byte after which an upload is given up. */
  stallMs: 10_000,
  /**
   * Bytes of all uploads together that are taken in a second. Each piece is memory for the garbage collector, which holds
   * up everybody: at 100 MiB a second it took a fifth of the time, in pieces of 20 ms.
   */
  bytesPerSecond: 8 * 2 ** 20,
};

/** Share of the limits that test mode may take: live mode must find room beside it. */
const SHARE_OF_TEST = 0.5;
/** Most uploads end within seconds. */
const RETRY_AFTER = { 'retry-after': '5' };

type Upload = { readonly tenant: Tenant; bytes: number };

/** Limits of all uploads of a process at the same time. */
export function createUploads(options: Partial<typeof defaults> = {}) {
  const { maxUploads, maxOfTenant, maxBytes, stallMs, bytesPerSecond } = { ...defaults, ...options };
  const underWay = new Set<Upload>();
  /** Time at which everything that was taken has had its share of the rate. */
  let takenUntil = 0;

  /** Milliseconds until the next piece may be taken: all uploads wait alike. */
  function waitFor(bytes: number): number {
    const now = performance.now();
    takenUntil = Math.max(takenUntil, now) + (1000 * bytes) / bytesPerSecond;
    return takenUntil - now;
  }

  const count = (mode?: Tenant['mode']) =>
    [...underWay].filter(({ tenant }) => mode === undefined || tenant.mode === mode).length;
  const bytes = (mode?: Tenant['mode']) => {
    let sum = 0;
    for (const upload of underWay) if (mode === undefined || upload.tenant.mode === mode) sum += upload.bytes;
    return sum;
  };
  const exceeds = (of: typeof count, most: number, { mode }: Tenant): boolean =>
    of() > most || (mode === 'test' && of(mode) > most * SHARE_OF_TEST);

  function enter(tenant: Tenant): Upload {
    const name = tenantName(tenant);
    const others = [...underWay].filter((each) => tenantName(each.tenant) === name).length;
    if (others >= maxOfTenant) {
      const message = `The account already has ${maxOfTenant} uploads under way, the maximum.`;
      throw new RequestError('rate_limited', [{ reason: 'rate_limited', message, remarks: '' }], RETRY_AFTER);
    }
    const upload = { tenant, bytes: 0 };
    underWay.add(upload);
    if (!exceeds(count, maxUploads, tenant)) return upload;
    underWay.delete(upload);
    throw new RequestError('unavailable', [], RETRY_AFTER, 'Too many uploads are under way.');
  }

  /** The body as a stream that is counted and must go on. */
  function bodyOf({ raw }: FastifyRequest, upload: Upload): Readable {
    const stalled = () =>
      body.destroy(new RequestError('unavailable', [], RETRY_AFTER, 'The upload has stalled.'));
    let timer = setTimeout(stalled, stallMs).unref();
    const body = bodyStream(raw, (piece, done) => {
      clearTimeout(timer);
      upload.bytes += piece.length;
      if (exceeds(bytes, maxBytes, upload.tenant)) {
        done(
          new RequestError('unavailable', [], RETRY_AFTER, 'The uploads under way are too large together.'),
        );
        return;
      }
      timer = setTimeout(() => {
        timer = setTimeout(stalled, stallMs).unref();
        done();
      }, waitFor(piece.length));
    });
    body.on('close', () => clearTimeout(timer));
    return body;
  }

  /** Writes the body of the request to a file, works on it, and removes it in any case. */
  return async function withUpload<T>(
    request: FastifyRequest,
    tenant: Tenant,
    limitBytes: number,
    work: (upload: Copy) => Promise<T>,
  ): Promise<T> {
    const error = () => new RequestError('too_large');
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw error();
    const upload = enter(tenant);
    try {
      return await withCopy(bodyOf(request, upload), { bytes: limitBytes, error }, work);
    } finally {
      underWay.delete(upload);
    }
  };
}
