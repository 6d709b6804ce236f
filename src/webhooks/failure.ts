/**
 * Classes of delivery failures, in a few words that a merchant may read: they reveal neither secrets nor internal
 * addresses.
 */
import { ADDRESS_FORBIDDEN } from './guard.ts';

const classes: Readonly<Record<string, string>> = {
  [ADDRESS_FORBIDDEN]: 'address forbidden',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed',
  EPIPE: 'connection closed',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ENOTFOUND: 'name not resolved',
  EAI_AGAIN: 'name not resolved',
  EAI_FAIL: 'name not resolved',
  EAI_NODATA: 'name not resolved',
  EPROTO: 'tls',
};

/** OpenSSL's reasons to reject a certificate have codes of their own, such as `DEPTH_ZERO_SELF_SIGNED_CERT`. */
const TLS_CODE = /^ERR_(TLS|SSL)_|CERT|^UNABLE_TO_|^CRL_|^HOSTNAME_MISMATCH$|^INVALID_CA$|^INVALID_PURPOSE$/;

/** Class of a connection error. */
export function failureOf({ code = '' }: NodeJS.ErrnoException): string {
  const known = classes[code];
  if (known !== undefined) return known;
  if (TLS_CODE.test(code)) return 'tls';
  return code.startsWith('HPE_') ? 'bad answer' : 'connection failed';
}

/** Class of an answer that is no success. */
export function failureOfStatus(status: number): string {
  return status >= 300 && status < 400 ? 'redirect' : `status ${status}`;
}
