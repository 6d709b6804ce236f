/** Readers of the payment codes, written from the standards and not from the code that makes them. */
import assert from 'node:assert/strict';

/** EPC069-12: one element to a line, the last ones may be left out. */
export function parseEpc(payload: string) {
  assert.ok(Buffer.byteLength(payload) <= 331, 'at most 331 bytes');
  assert.doesNotMatch(payload, /\r/);
  const lines = payload.split('\n');
  assert.notEqual(lines.at(-1), '', 'nothing after the last element');
  const [tag, version, characters, kind, bic, name, iban, money, purpose, reference, text, ...rest] = lines;
  assert.deepEqual([tag, version, characters, kind], ['BCD', '002', '1', 'SCT']);
  assert.ok(rest.length <= 1);
  assert.ok(!(reference && text), 'a reference or a text');
  const [, amount] = /^EUR(\d{1,9}\.\d\d)$/.exec(money ?? '') ?? [];
  return { bic, name, iban, amount, purpose, reference, text };
}

/** Swiss Payments Code: 31 elements at least, whatever is empty has a line of its own. */
export function parseSwiss(payload: string) {
  assert.ok(payload.length <= 997, 'at most 997 characters');
  const lines = payload.split(/\r?\n/);
  assert.ok(lines.length >= 31 && lines.length <= 34, `${lines.length} elements`);
  const [type, version, coding, iban] = lines;
  assert.deepEqual([type, version, coding, lines[30]], ['SPC', '0200', '1', 'EPD']);
  const address = (from: number) => {
    const [kind, name, street, number, postalCode, city, country] = lines.slice(from, from + 7);
    return { kind, name, street, number, postalCode, city, country };
  };
  return {
    iban,
    creditor: address(4),
    ultimateCreditor: address(11),
    amount: lines[18],
    currency: lines[19],
    debtor: address(20),
    referenceType: lines[27],
    reference: lines[28],
    message: lines[29],
  };
}

/** A checksum by table, unlike the one that is tested. */
const remainders = Array.from({ length: 256 }, (_, byte) => {
  let value = byte * 256;
  for (let bit = 0; bit < 8; bit++) value = value >= 32_768 ? (value * 2 - 65_536) ^ 0x1021 : value * 2;
  return value;
});
function checksum(bytes: Uint8Array): string {
  let value = 65_535;
  for (const byte of bytes) {
    const index = Math.floor(value / 256) ^ byte;
    value = ((value % 256) * 256) ^ (remainders[index] ?? 0);
  }
  return value.toString(16).toUpperCase().padStart(4, '0');
}

export type Objects = { readonly [id: string]: string };

/** EMVCo merchant-presented mode: data objects in a row, the checksum last. */
export function parseEmv(payload: string): Objects {
  assert.match(payload, /^000201[ -~]*6304[0-9A-F]{4}$/);
  assert.equal(payload.slice(-4), checksum(new TextEncoder().encode(payload.slice(0, -4))));
  assert.ok(payload.length <= 512, 'at most 512 characters');
  return parseObjects(payload);
}

export function parseObjects(text: string): Objects {
  const objects = new Map<string, string>();
  for (let at = 0; at < text.length; ) {
    const [, id = '', digits] = /^(\d\d)(\d\d)/.exec(text.slice(at, at + 4)) ?? [];
    const length = Number(digits);
    assert.ok(length > 0 && at + 4 + length <= text.length, `the length of ${id}`);
    assert.ok(!objects.has(id), `${id} is there once`);
    objects.set(id, text.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return Object.fromEntries(objects);
}

export function parseUpi(payload: string): Objects {
  const url = new URL(payload);
  assert.equal(`${url.protocol}//${url.host}`, 'upi://pay');
  return Object.fromEntries(url.searchParams);
}
