/** Codes read back: drawn as modules and as SVG, decoded, and taken apart by readers of their own. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  drawCode,
  modulesOf,
  type PaymentCode,
  QUIET_ZONE,
  swissCross,
} from '../../../src/methods/bank/codes/draw.ts';
import { instructionsFor } from '../../../src/methods/bank/instructions.ts';
import type { ReceivingAccount } from '../../../src/methods/bank/receiving-account.ts';
import { type Pixels, readCode, readMatrix } from '../../support/read-code.ts';
import { account, CH_IBAN, DE_IBAN, holder, OUR_RF, QR_IBAN, QRR } from './build.ts';
import { parseEmv, parseEpc, parseObjects, parseSwiss, parseUpi } from './parse-codes.ts';

const LARGEST = 999_999_999_99;
const longName = 'Ärztliche Gemeinschaftspraxis für Öffentliche Gesundheit & Übungen GmbH'.slice(0, 70);
/** Two bytes to each letter, as many as an address can have. */
const longHolder = {
  name: 'Ö'.repeat(70),
  street: 'Ü'.repeat(70),
  buildingNumber: '1'.repeat(16),
  postalCode: '2'.repeat(16),
  city: 'Ä'.repeat(35),
  country: 'CH',
};
const maltese = { iban: 'MT84MALT011000012345MTLCAST001S', bic: 'MALTMTMTXXX' };
const brazilian = { ...holder, name: 'Fulano de Tal', city: 'BRASILIA' };

type Row = {
  readonly what: string;
  readonly account: ReceivingAccount;
  readonly method: string;
  readonly amount: number;
  readonly reference: string;
  /** Amount and reference as a reader of the code finds them, and to whom it pays. */
  readonly parse: (payload: string) => readonly (string | undefined)[];
  readonly pays: string;
  readonly decimal: string;
};

const epc = (payload: string) => {
  const { iban, amount, reference } = parseEpc(payload);
  return [iban, amount, reference];
};
const swiss = (payload: string) => {
  const { iban, amount, reference } = parseSwiss(payload);
  return [iban, amount, reference];
};
const emv = (template: string, proxy: string, reference: string) => (payload: string) => {
  const parsed = parseEmv(payload);
  return [
    parseObjects(parsed[template] ?? '')[proxy],
    parsed['54'],
    parseObjects(parsed['62'] ?? '')[reference],
  ];
};
const upi = (payload: string) => {
  const { pa, am, tr } = parseUpi(payload);
  return [pa, am, tr];
};

const sepa = { method: 'local_bank_transfer_eur', reference: OUR_RF, parse: epc };
const chf = { method: 'local_bank_transfer_chf', parse: swiss };
const [small, large] = [
  { amount: 1234, decimal: '12.34' },
  { amount: LARGEST, decimal: '999999999.99' },
];
const rows: readonly Row[] = [
  { what: 'EPC', account: account({ iban: DE_IBAN }), pays: DE_IBAN, ...sepa, ...small },
  {
    what: 'EPC with umlauts',
    account: account({ iban: DE_IBAN, holder: { ...holder, name: longName } }),
    pays: DE_IBAN,
    ...sepa,
    ...small,
  },
  {
    what: 'the longest EPC',
    account: account({ ...maltese, holder: { ...holder, name: '😀'.repeat(70) } }),
    pays: maltese.iban,
    ...sepa,
    ...large,
  },
  {
    what: 'Swiss with a QR reference',
    account: account({ currency: 'CHF', iban: CH_IBAN, qrIban: QR_IBAN }),
    pays: QR_IBAN,
    reference: QRR,
    ...chf,
    ...small,
  },
  {
    what: 'Swiss with a creditor reference',
    account: account({ currency: 'CHF', iban: CH_IBAN }),
    pays: CH_IBAN,
    reference: OUR_RF,
    ...chf,
    ...small,
  },
  {
    what: 'the longest Swiss',
    account: account({ currency: 'CHF', iban: CH_IBAN, qrIban: QR_IBAN, holder: longHolder }),
    pays: QR_IBAN,
    reference: QRR,
    ...chf,
    ...large,
  },
  {
    what: 'PayNow',
    account: account({ currency: 'SGD', paynow: '201403121W001' }),
    method: 'paynow_sgd',
    reference: OUR_RF,
    parse: emv('26', '02', '01'),
    pays: '201403121W001',
    ...large,
  },
  {
    what: 'PromptPay',
    account: account({ currency: 'THB', promptpay: '0812345678' }),
    method: 'promptpay_thb',
    reference: OUR_RF,
    parse: emv('29', '01', '05'),
    pays: '0066812345678',
    ...large,
  },
  {
    what: 'the longest Pix',
    account: account({ currency: 'BRL', pix: `${'a'.repeat(65)}@example.com`, holder: brazilian }),
    method: 'pix_brl',
    reference: OUR_RF,
    parse: emv('26', '01', '05'),
    pays: `${'a'.repeat(65)}@example.com`,
    ...large,
  },
  {
    what: 'UPI',
    account: account({ currency: 'INR', upi: 'my.shop@okbank' }),
    method: 'upi_inr',
    reference: OUR_RF,
    parse: upi,
    pays: 'my.shop@okbank',
    ...small,
  },
  {
    what: 'the longest UPI',
    account: account({ currency: 'INR', upi: `${'a'.repeat(200)}@${'b'.repeat(54)}`, holder: longHolder }),
    method: 'upi_inr',
    reference: OUR_RF,
    parse: upi,
    pays: `${'a'.repeat(200)}@${'b'.repeat(54)}`,
    ...large,
  },
];

function codeOf({ account, method, amount, reference }: Row): PaymentCode {
  const code = instructionsFor(account, method, { amount, reference })?.code;
  assert.ok(code);
  return code;
}

const patches = (code: PaymentCode, size: number) => (code.swissCross ? swissCross(size) : []);

for (const row of rows) {
  suite(`${row.what}, as a telephone reads it`, () => {
    const code = codeOf(row);

    test('from its modules it is what was encoded, and pays whom, what and for what it should', async () => {
      const modules = modulesOf(code);
      const read = await readMatrix(modules, patches(code, modules.length));
      assert.equal(read, code.payload);
      assert.deepEqual(row.parse(read), [row.pays, row.decimal, row.reference]);
    });

    test('from its SVG it is the same', async () => {
      assert.equal(await readCode(rasterised(drawCode(code))), code.payload);
    });

    test('it has no more modules than its standard allows', () => {
      // EPC069-12 ends at version 13, the Swiss guidelines at 25; a screen of a telephone has no room for more.
      const largest = row.what.includes('EPC') ? 13 : 25;
      assert.ok(modulesOf(code).length <= 17 + 4 * largest, `${modulesOf(code).length} modules`);
    });
  });
}

suite('a code that was drawn', () => {
  const code = codeOf(rows[0] as Row);
  const svg = drawCode(code);

  test('is one element that says its size in modules, quiet zone included, and has nothing to run or to load', () => {
    const size = modulesOf(code).length + 2 * QUIET_ZONE;
    assert.match(svg, new RegExp(`^<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" `));
    assert.match(svg, /shape-rendering="crispEdges"/);
    assert.doesNotMatch(svg, /style|script|href|url\(/);
    assert.equal(svg.match(/<svg/g)?.length, 1);
  });

  test('is square, with finder patterns in three corners', () => {
    const modules = modulesOf(code);
    for (const row of modules) assert.equal(row.length, modules.length);
    assert.equal(modules[0]?.slice(0, 8).map(Number).join(''), '11111110');
    assert.equal(modules[6]?.slice(0, 8).map(Number).join(''), '11111110');
  });

  test('has the cross where it is Swiss only', () => {
    assert.equal(svg.includes('<rect'), false);
    const cross = drawCode(codeOf(rows[3] as Row));
    assert.equal(cross.match(/<rect/g)?.length, 4);
  });

  test('and the cross is in the middle, with 7 mm of 46', () => {
    for (const size of [57, 117]) {
      const [margin, square, ...bars] = swissCross(size);
      assert.ok(margin && square && bars.length === 2);
      assert.ok(Math.abs((margin.width / size) * 46 - 7) < 1e-9);
      assert.deepEqual(
        [margin.colour, square.colour, ...bars.map(({ colour }) => colour)],
        ['white', 'black', 'white', 'white'],
      );
      for (const { x, y, width, height } of [margin, square, ...bars]) {
        assert.ok(Math.abs(x + width / 2 - size / 2) < 1e-9 && Math.abs(y + height / 2 - size / 2) < 1e-9);
      }
    }
  });

  test('is not read by accident: with much of it painted over the decoder says so', async () => {
    const modules = modulesOf(code);
    const half = { x: 0, y: 0, width: modules.length / 2, height: modules.length, colour: 'white' } as const;
    await assert.rejects(readMatrix(modules, [half]), /There are 0 codes/);
  });
});

/** Paints the few kinds of elements that a drawn code has: paths of rectangles one unit high, and rectangles. */
function rasterised(svg: string): Pixels {
  const scale = 6;
  const [, size = '0'] = /viewBox="0 0 (\d+) \d+"/.exec(svg) ?? [];
  const width = Number(size) * scale;
  const data = new Uint8ClampedArray(width * width * 4).fill(255);
  const paint = (box: readonly number[], colour: string | undefined) => {
    const [x = 0, y = 0, wide = 0, high = 0] = box;
    const at = (position: number) => Math.round(position * scale);
    for (let row = at(y); row < at(y + high); row++) {
      for (let column = at(x); column < at(x + wide); column++) {
        data.fill(colour === '#000' ? 0 : 255, (row * width + column) * 4, (row * width + column) * 4 + 3);
      }
    }
  };
  for (const [element] of svg.matchAll(/<(path|rect)[^>]*>/g)) {
    const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(element)?.[1];
    const fill = attribute('fill');
    if (element.startsWith('<rect')) {
      paint(
        ['x', 'y', 'width', 'height'].map((name) => Number(attribute(name))),
        fill,
      );
    } else {
      for (const [, ...box] of (attribute('d') ?? '').matchAll(/M(\d+) (\d+)h(\d+)v(\d+)h-\d+z/g)) {
        paint(box.map(Number), fill);
      }
    }
  }
  return { data, width, height: width };
}
