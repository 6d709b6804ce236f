/** Help of a command as it stands on a terminal, and what is meant by a word that is no command. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { plainCommand } from '../../src/cli/declare/access.ts';
import { objectOf } from '../../src/cli/declare/json.ts';
import { flag, optional, required } from '../../src/cli/declare/parameter.ts';
import { choice, file, text } from '../../src/cli/declare/values.ts';
import { helpOfCommand } from '../../src/cli/help.ts';
import { nearest } from '../../src/cli/nearest.ts';

test('help has each part under its title, in columns and in lines of 80 characters', () => {
  const command = plainCommand({
    purpose: 'Print a label for each parcel.',
    details: [
      'It reads `parcels.csv` and prints what is in it, one label after the other, on the printer that the setting names.',
    ],
    arguments: { list: required(file('parcels.csv'), 'The parcels.') },
    options: {
      size: required(choice('size', 'small', 'large'), 'Size of a label.'),
      nameOfThePrinter: optional(
        text('printer'),
        'The printer, where it is not the usual one; a list of them is printed where there is no such printer.',
      ),
      dry: flag('Print nothing.'),
    },
    variables: ['DATABASE_URL'],
    json: objectOf({ labels: 'How many were printed.' }),
    examples: [
      [
        "opentill labels parcels.csv --size small --name-of-the-printer 'Back office, second floor'",
        'With another printer',
      ],
    ],
    run: async () => {},
  });
  const help = helpOfCommand('labels', command);
  assert.equal(
    help.replace(/(\nEnvironment:\n {2}DATABASE_URL {2}).*(?:\n {4}.*)*/, '$1…'),
    `Print a label for each parcel.

It reads parcels.csv and prints what is in it, one label after the other, on the
printer that the setting names.

Usage:
  opentill labels <list> --size <size> [options]

Arguments:
  <list>  The parcels.

Options:
  --size <size>               Size of a label. One of small, large (required).
  --name-of-the-printer <printer>
                              The printer, where it is not the usual one; a list
                              of them is printed where there is no such printer.
  --dry                       Print nothing.
  --json                      Print a JSON object instead of text.
  -h, --help                  Show this help.

Permission:
  No API key.

Environment:
  DATABASE_URL  …

JSON: one object with:
  labels  How many were printed.

Examples:
  # With another printer
  opentill labels parcels.csv --size small --name-of-the-printer \\
    'Back office, second floor'`,
  );
});

suite('a word that is none is taken for the nearest one', () => {
  const commands = ['keys', 'refunds', 'listen', 'trigger', 'reconcile'];
  const rows: ReadonlyArray<readonly [typed: string, meant: string | null]> = [
    ['keys', 'keys'],
    ['KEYS', 'keys'],
    // Typing mistakes, one of each kind.
    ['key', 'keys'],
    ['keyss', 'keys'],
    ['kexs', 'keys'],
    ['kesy', 'keys'],
    // Short words may have one mistake, longer ones a third of their letters.
    ['kyse', null],
    ['rfunsd', 'refunds'],
    ['rfunxd', null],
    ['rekonsyle', 'reconcile'],
    ['rekonsylx', null],
    ['triggered', 'trigger'],
    ['', null],
    ['x'.repeat(1_000), null],
  ];
  for (const [typed, meant] of rows)
    test(`"${typed.slice(0, 20)}"`, () => assert.equal(nearest(typed, commands), meant));

  test('the one with fewer mistakes, whichever comes first', () => {
    assert.equal(nearest('webhook', ['webbook', 'webhooks', 'webhok']), 'webbook');
    assert.equal(nearest('bank lost', ['bank assign', 'bank post', 'bank list', 'bank lust']), 'bank post');
    assert.equal(nearest('listn', ['lost', 'listen']), 'listen');
  });
});
