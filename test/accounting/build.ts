/** Movements for the formats of bookkeepers, some of which are made to break or attack a file. */
import type { Movement } from '../../src/accounting/movement.ts';

let made = 0;

export function movement(given: Partial<Movement> = {}): Movement {
  made += 1;
  return {
    id: `mov_01m7x7mhhj${String(made).padStart(16, '0')}`,
    object: 'movement',
    created_at: '2030-01-31T12:00:00.000Z',
    type: 'payment',
    amount: 2500,
    currency: 'EUR',
    payin: 'chk_01k9zq4tn30000x5r7m2c9w1he',
    rail: 'bank',
    reference: 'ntc_01k9zq4tn30000x5r7m2c9w1he',
    reference_id: 'order-1001',
    refund_status: '',
    late: false,
    time_to_pay_ms: null,
    fee: null,
    ...given,
  };
}

export async function* pagesOf(
  ...pages: ReadonlyArray<readonly Movement[]>
): AsyncGenerator<readonly Movement[]> {
  yield* pages;
}

/** References as a merchant might get them from somebody else. */
export const hostileTexts: readonly string[] = [
  "=cmd|' /C calc'!A0",
  '+49 30; DROP',
  '-2+3',
  '@SUM(A1)',
  'a "quoted" name',
  'two\r\nlines\n2030-01-01 * fake\n    assets:x  1 EUR',
  'tab\tand \u0000 control',
  '\u202eright to left\u202c \u200bhidden',
  '😀 Łódź Ünïcode 漢字 ﬁne',
  '</STMTTRN></BANKTRANLIST><OFX>&amp;',
  'a ; comment | note, tag: value (code)',
  'x'.repeat(300),
  '',
  '   ',
  '"',
  '\ud800 half',
];

export async function bytesOf(content: AsyncIterable<string | Uint8Array>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
export const textOf = async (content: AsyncIterable<string | Uint8Array>): Promise<string> =>
  (await bytesOf(content)).toString();
