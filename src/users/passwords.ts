/** Passwords, kept as Argon2id hashes (RFC 9106) in the PHC string format. */
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { clientOf } from '../lib/client-address.ts';
import { createCounts } from '../lib/counts.ts';

const derive = promisify(argon2);

/** The parameters that OWASP recommends at least: 19 MiB of memory, two passes. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const TAG_BYTES = 32;
const SALT_BYTES = 16;

export const PASSWORD_MIN_LENGTH = 12;
export const PASSWORD_MAX_LENGTH = 200;

/** Passwords of one address that wait, among the others. */
const MAX_OF_ONE = 3;

/** Passwords that wait to be hashed: each takes a thread for some 50 ms, and the same threads read files and resolve names. */
const MAX_WAITING = 30;

export class TooManyPasswords extends Error {
  override name = 'TooManyPasswords';
}

export type Passwords = ReturnType<typeof createPasswords>;

/** Hashes passwords one after the other. Rejects with TooManyPasswords where too many wait, of all or of one address. */
export function createPasswords({ most = MAX_WAITING, ofOne = MAX_OF_ONE } = {}) {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  const ofAddresses = createCounts();

  function inTurn<T>(address: string, work: () => Promise<T>): Promise<T> {
    const client = clientOf(address);
    if (waiting >= most || ofAddresses.of(client) >= ofOne)
      return Promise.reject(new TooManyPasswords('too many passwords wait'));
    waiting++;
    ofAddresses.add(client, 1);
    const done = last.then(work).finally(() => {
      waiting--;
      ofAddresses.add(client, -1);
    });
    last = done.catch(() => {});
    return done;
  }

  /** A hash that no password has: what is compared where there is no user takes as long as where there is one. */
  const nobody = phcOf({ ...cost, nonce: Buffer.alloc(SALT_BYTES), tag: Buffer.alloc(TAG_BYTES) });

  return {
    /** The hash to keep. */
    hash: (password: string, address: string): Promise<string> =>
      inTurn(address, async () => {
        const nonce = randomBytes(SALT_BYTES);
        return phcOf({ ...cost, nonce, tag: await tagOf(password, { ...cost, nonce }) });
      }),

    /** True if it is the password of this hash; of no hash, false after the same time. */
    matches: (password: string, hash: string | null, address: string): Promise<boolean> =>
      inTurn(address, async () => {
        const { tag, ...parameters } = parsed(hash ?? nobody);
        return timingSafeEqual(await tagOf(password, parameters), tag) && hash !== null;
      }),
  };
}

type Parameters = Pick<Argon2Parameters, 'memory' | 'passes' | 'parallelism'> & { readonly nonce: Buffer };

function tagOf(password: string, parameters: Parameters): Promise<Buffer> {
  // The same characters may come composed or decomposed, depending on the keyboard (RFC 8265).
  return derive('argon2id', { ...parameters, message: password.normalize('NFC'), tagLength: TAG_BYTES });
}

function phcOf({ memory, passes, parallelism, nonce, tag }: Parameters & { readonly tag: Buffer }): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${textOf(nonce)}$${textOf(tag)}`;
}

/** Base 64 without padding, as the format has it. */
const textOf = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

function parsed(hash: string): Parameters & { readonly tag: Buffer } {
  const [, memory, passes, parallelism, nonce = '', tag = ''] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(hash) ?? [];
  if (tag === '') throw new Error('this is no hash of a password');
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(nonce, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}
