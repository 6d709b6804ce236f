/** The demo of payments by bank transfer, as `npm run demo:bank` runs it. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { cleanUp } from '../support/clean-up.ts';
import { freshDirectory, run } from '../support/process.ts';

const root = join(import.meta.dirname, '../..');
const program = join(root, 'scripts/demo-bank.ts');

suite('the demo of payments by bank transfer', () => {
  test('ends well, and shows what became of each transfer', async () => {
    await using t = cleanUp();
    const { output, ended } = run(t, [], {}, { program, directory: freshDirectory(t) });
    const { code } = await ended;
    const { stdout, stderr } = output;
    assert.deepEqual([code, stderr], [0, '']);
    for (const line of [
      // The code as it was read.
      /^ {3}7 +IBAN of the payee +DE02120300000000202051$/m,
      /^ {3}8 +amount +EUR49\.90$/m,
      /^ {3}10 +structured reference +RF\d{2}[0-9A-Z]{18}$/m,
      // The sessions in the end: exact, in two parts, in excess, late, and booked by a person.
      /^ {3}order-2001 +Ada Lovelace +49\.90 +49\.90 +completed +paid$/m,
      /^ {3}order-2002 +Grace Hopper +120\.00 +70\.00 +active +unpaid$/m,
      /^ {3}order-2002 +Grace Hopper +120\.00 +120\.00 +completed +paid$/m,
      /^ {3}order-2003 +35\.00 +5\.00 +30\.00 +succeeded +30\.00 succeeded$/m,
      /^ {3}order-2004 +Marie Curie +75\.00 +75\.00 +expired +paid$/m,
      /^ {3}order-2005 +Lise Meitner +64\.00 +64\.00 +completed +paid$/m,
      /^ {3}L\. Meitner +64\.00 .*order-2005/m,
      /^ {3}✓ .*no session, event, entry or refund has changed$/m,
      /^ {3}✓ the entries lead from 1000\.00 to 1351\.24, as the bank says$/m,
      /^ {3}✓ and all \d+ rules of "opentill db check" hold in the database$/m,
      /^That was all\./m,
    ]) {
      assert.match(stdout, line);
    }
  });

  test('says so where what reads the codes is not installed', async () => {
    await using t = cleanUp();
    const clone = freshDirectory(t);
    for (const each of ['src', 'scripts', 'test/support', 'migrations', 'package.json']) {
      cpSync(join(root, each), join(clone, each), { recursive: true });
    }
    mkdirSync(join(clone, 'node_modules'));
    for (const each of readdirSync(join(root, 'node_modules'))) {
      if (each !== 'zxing-wasm')
        symlinkSync(join(root, 'node_modules', each), join(clone, 'node_modules', each));
    }
    const { output, ended } = run(
      t,
      [],
      {},
      { program: join(clone, 'scripts/demo-bank.ts'), directory: clone },
    );
    const { code } = await ended;
    assert.deepEqual([code, output.stdout], [1, '']);
    assert.match(output.stderr, /^opentill: [^\n]*zxing-wasm, which is not installed[^\n]*npm ci[^\n]*\n$/);
  });
});
