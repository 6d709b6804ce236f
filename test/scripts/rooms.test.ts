/** Rooms and who imports whom: what the rules of the repository and the picture of the house go by. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { figuresOf } from '../../scripts/figures/count.ts';
import { architecturePage, dataPage } from '../../scripts/figures/pages.ts';
import { floorsIn, houseOf, importsOf, mutual, roomsOf, upward } from '../../scripts/figures/rooms.ts';

const imports = new Map([
  ['src/main.ts', ['src/http/app.ts', 'src/lib/id.ts', 'node:fs']],
  ['src/http/app.ts', ['src/lib/id.ts', 'src/http/auth.ts', 'src/http/routes/event.ts']],
  ['src/http/routes/event.ts', ['src/writer/writer.ts']],
  ['src/writer/writer.ts', ['src/lib/id.ts', 'src/http/auth.ts']],
]);

test('imports are found whatever their form, from the root on', () => {
  const code = `import { a } from './a.ts';
import type {
  B,
} from '../lib/b.ts';
export { c } from './c.ts';
import './d.ts';
const e = await import('./e.ts');
new Worker(new URL('./f.ts', import.meta.url));`;
  const found = [
    'src/http/a.ts',
    'src/lib/b.ts',
    'src/http/c.ts',
    'src/http/d.ts',
    'src/http/e.ts',
    'src/http/f.ts',
  ];
  assert.deepEqual(importsOf('src/http/x.ts', code), found);
});

test('rooms that import each other are named, and imports that run up', () => {
  assert.deepEqual(mutual(roomsOf(imports)), ['http and writer']);
  assert.deepEqual(upward(imports), ['src/writer/writer.ts: src/http/auth.ts']);
});

test('the picture leaves out what follows', () => {
  const down = new Map([...imports, ['src/writer/writer.ts', ['src/lib/id.ts']]]);
  assert.deepEqual(houseOf(roomsOf(down)).split('\n').slice(2, -1), [
    '  http --> writer',
    '  main --> http',
    '  writer --> lib',
  ]);
});

test('rooms that lead to each other are one in the picture, and share a floor', () => {
  const circle = roomsOf(imports);
  assert.deepEqual(houseOf(circle).split('\n').slice(2, -1), [
    '  http["http, writer"]',
    '  http --> lib',
    '  main --> http',
  ]);
  assert.equal(floorsIn(circle), 3);
  assert.equal(floorsIn(roomsOf(new Map([...imports, ['src/writer/writer.ts', ['src/lib/id.ts']]]))), 4);
});

const root = join(import.meta.dirname, '../..');
const page = (name: string) => readFileSync(join(root, 'docs/internals', name), 'utf8');

test('the figures of the rooms come to those of the whole', () => {
  const { rooms, files, lines } = figuresOf(root);
  assert.equal(
    rooms.reduce((all, room) => all + room.files, 0),
    files,
  );
  assert.equal(
    rooms.reduce((all, room) => all + room.lines, 0),
    lines,
  );
});

test('the pages have the figures of today, in the places that are marked for them', () => {
  assert.equal(architecturePage(page('architecture.md'), root), page('architecture.md'));
  assert.equal(dataPage(page('data.md'), root), page('data.md'));
  const without = page('data.md').replace('<!-- The parts of the store', '<!-- Elsewhere');
  assert.throws(() => dataPage(without, root), /no place for The parts of the store/);
});
