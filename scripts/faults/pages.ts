/** Faults in the payer’s page and in documents: sums, logos, pictures, colors, and what is kept of them. */
import type { Fault } from './fault.ts';

const money = { file: 'src/documents/money.ts', tests: ['test/documents/facts.test.ts'] };

const pictures = (file: string) => ({
  file: `src/documents/${file}.ts`,
  tests: ['test/documents/pictures.test.ts'],
});

export const pageFaults: readonly Fault[] = [
  {
    name: 'payers of live sessions read the names of settings',
    file: 'src/pages/panel.ts',
    tests: ['test/pages/render.test.ts'],
    find: "checkout.tenant.mode === 'live' || missing",
    replace: 'missing',
  },
  {
    name: 'the page of an expired session counts money that the bank took back as paid',
    file: 'src/pages/panel.ts',
    tests: ['test/pages/render.test.ts'],
    find: '  const held = amountHeld(checkout);',
    replace: '  const held = amountPaid(checkout);',
  },
  {
    name: 'a payer is asked about an excess that is already going back',
    file: 'src/pages/panel.ts',
    tests: ['test/pages/render.test.ts'],
    find: 'amountHeld(checkout) - checkout.amount',
    replace: 'amountPaid(checkout) - checkout.amount',
  },
  {
    name: 'the sums of a receipt are silent about what the bank took back',
    ...money,
    find: '    { label: takenBack, amount: amountTakenBack(checkout) },\n',
    replace: '',
  },
  {
    name: 'a receipt calls a dispute that was won money taken back',
    ...money,
    find: "      .filter(({ status }) => status !== 'won')\n",
    replace: '',
  },
  {
    name: 'a receipt lists a refund that has failed',
    ...money,
    find: "      if (status === 'failed') return [];\n",
    replace: "      if (status === 'failed') return [{ at, what: '', reference: id, amount }];\n",
  },
  {
    name: 'the receipt of an expired session asks for the rest',
    ...money,
    find: "lifecycle.state === 'active' && ",
    replace: '',
  },
  {
    name: 'a document that is kept has the logo that the account had',
    file: 'src/pages/files.ts',
    tests: ['test/pages/files.test.ts'],
    find: '[locale.formatTag, logoOf(visit)]',
    replace: '[locale.formatTag]',
  },
  {
    name: 'a picture that cannot be drawn costs its document',
    ...pictures('picture'),
    find: '    return false;\n',
    replace: "    throw new Error('the picture cannot be drawn');\n",
  },
  {
    name: 'a JPEG that is to be turned lies on its side in a document',
    ...pictures('picture'),
    find: 'turns[orientation - 1] ?? turns[0]',
    replace: 'turns[0]',
  },
  {
    name: 'a document has all pixels of a logo',
    ...pictures('picture'),
    find: 'PIXELS_OF_POINT = 2.5',
    replace: 'PIXELS_OF_POINT = 25',
  },
  {
    name: 'a logo is drawn out of its proportions',
    ...pictures('sheet'),
    find: '[picture.width * scale, picture.height * scale]',
    replace: '[picture.width * scale, box.height]',
  },
  {
    name: 'a logo with data behind its last pixel is left out',
    ...pictures('png'),
    find: 'if (at === size) return',
    replace: 'if (at === size && part.length <= size) return',
  },
  {
    name: 'the color of a pixel that nobody sees shows in its neighbors',
    ...pictures('png'),
    find: 'pixels.opacity?.[at] ?? 255',
    replace: 'pixels.opacity ? 255 : 255',
  },
  {
    name: 'the first line of a pass of a PNG is told from the last of the one before',
    ...pictures('png'),
    find: '    let above: Buffer = Buffer.alloc(lineBytes);\n',
    replace: '    let above = data.subarray(Math.max(0, at - lineBytes), at);\n',
  },
  {
    name: 'a color of a PNG that stands for no color is drawn',
    ...pictures('png'),
    find: 'return isClear ? 0 : 255;',
    replace: 'return 255;',
  },
  {
    name: 'links in the color of an account are hard to read',
    file: 'src/pages/accent.ts',
    tests: ['test/pages/accent.test.ts'],
    find: 'TEXT_CONTRAST = 4.5',
    replace: 'TEXT_CONTRAST = 4',
  },
  {
    name: 'a page that is kept stays in the color that the account had',
    file: 'src/pages/rendered.ts',
    tests: ['test/pages/render.test.ts'],
    find: 'accentOf(visit), ',
    replace: '',
  },
  {
    name: 'a page that is kept shows the logo that the account had',
    file: 'src/pages/rendered.ts',
    tests: ['test/pages/render.test.ts'],
    find: "logoOf(visit) ?? '', ",
    replace: '',
  },
  {
    name: 'a page that is kept is shown to all with one value for forms',
    file: 'src/pages/rendered.ts',
    tests: ['test/pages/render.test.ts'],
    find: 'const once = newOnce();',
    replace: "const once = 'a'.repeat(26);",
  },
  {
    name: 'the value for a form of a page that is kept is written by characters',
    file: 'src/pages/rendered.ts',
    tests: ['test/pages/render.test.ts'],
    find: 'Buffer.byteLength(page.slice(0, field.index))',
    replace: 'field.index',
  },
  {
    name: 'bytes that are kept are found in a block that has others by now',
    file: 'src/lib/kept-bytes.ts',
    tests: ['test/lib/kept-bytes.test.ts'],
    find: 'if (entries.get(key)?.place === current) entries.delete(key)',
    replace: 'if (entries.get(key)?.place !== current) entries.delete(key)',
  },
  {
    name: 'bytes that are looked at all the time go with the rest of their block',
    file: 'src/lib/kept-bytes.ts',
    tests: ['test/lib/kept-bytes.test.ts'],
    find: 'turnsUntil > 0 &&',
    replace: 'turnsUntil < 0 &&',
  },
  {
    name: 'a logo is kept for good under the address of the one before',
    file: 'src/pages/routes.ts',
    tests: ['test/pages/hostile.test.ts'],
    find: 'logo?.name !== name',
    replace: 'logo === null',
  },
  {
    name: 'a stylesheet of an older color scheme is kept for good under the new address',
    file: 'src/pages/routes.ts',
    tests: ['test/pages/routes.test.ts'],
    find: 'sheet?.path === request.url',
    replace: 'sheet',
  },
  {
    name: 'a text can begin an element of a page',
    file: 'src/lib/html.ts',
    tests: ['test/pages/script-carriers.test.ts'],
    find: "'<': '&lt;'",
    replace: "'<': '<'",
  },
  {
    name: 'addresses that browsers repair are stored',
    file: 'src/http/schemas/fields.ts',
    tests: ['test/pages/script-carriers.test.ts'],
    find: '/[\\s\\\\]/.test(value) || ',
    replace: '',
  },
];
