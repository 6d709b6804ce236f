/** Certificates that sign themselves. Node.js can read them but makes none, so their DER is put together here. */
import { generateKeyPairSync, sign } from 'node:crypto';

const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const COMMON_NAME = [0x55, 0x04, 0x03];
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11];
const DAY_MS = 86_400_000;

type Part = Buffer | readonly number[] | string;

/** A value with its tag and length. */
function der(tag: number, ...parts: readonly Part[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part as Uint8Array)));
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Part[]) => der(0x30, ...parts);
const oid = (bytes: readonly number[]) => der(0x06, bytes);

/** `yymmddhhmmssZ` */
const time = (ms: number) => der(0x17, `${new Date(ms).toISOString().slice(2, 19).replace(/\D/g, '')}Z`);

/** Key and certificate in PEM, valid for this name and these days. */
export function certificateFor(name: string): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid(ECDSA_WITH_SHA256));
  const subject = sequence(der(0x31, sequence(oid(COMMON_NAME), der(0x0c, name))));
  const altName = sequence(oid(SUBJECT_ALT_NAME), der(0x04, sequence(der(0x82, name))));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [1]),
    algorithm,
    subject,
    sequence(time(Date.now() - DAY_MS), time(Date.now() + DAY_MS)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(altName)),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, algorithm, der(0x03, [0], signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}
