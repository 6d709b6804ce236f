/** Forms: the key by which one that is sent twice acts once, and fields with what is wrong with them. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  checkboxes,
  chosenIn,
  field,
  keyAfter,
  onceField,
  onceIn,
  otherMistakes,
} from '../../src/dashboard/form.ts';
import { refusedAs } from '../../src/dashboard/outcome.ts';
import { textOf } from '../../src/lib/html.ts';

suite('forms', () => {
  test('get a new key after a mistake, and keep theirs where nobody knows what became of it', () => {
    const form = { once: 'the key' };
    assert.deepEqual(onceIn(form), { 'idempotency-key': 'the key' });
    assert.deepEqual(onceIn({}), {});
    assert.deepEqual([keyAfter(form, 422), keyAfter(form, 503)], [undefined, 'the key']);
    assert.deepEqual([refusedAs(400), refusedAs(409), refusedAs(503)], [422, 422, 503]);
    assert.match(textOf(onceField('the key')), /value="the key"/);
    assert.notEqual(textOf(onceField()), textOf(onceField()));
  });

  test('show a mistake in a part of a field beside the field, and others above the form', () => {
    const mistakes = [
      { message: 'Of an element.', pointer: '/list/1' },
      { message: 'Of another one.', pointer: '/listed' },
      { message: 'Of all.', pointer: '' },
    ];
    const shown = textOf(field({ name: 'list', label: 'List', rows: 3, value: '<a>\nb' }, mistakes));
    assert.match(
      shown,
      /<textarea id="field-list" name="list" aria-describedby="field-list-wrong" aria-invalid="true" rows="3">\n&lt;a&gt;\nb<\/textarea>/,
    );
    assert.match(shown, /id="field-list-wrong">Of an element\. </);
    const others = otherMistakes(mistakes, ['list']);
    assert.equal(others && textOf(others).replaceAll(/<[^>]*>/g, ''), 'Of another one.Of all.');
    assert.equal(otherMistakes(mistakes.slice(0, 1), ['list']), false);
  });

  test('have checkboxes with a name each', () => {
    const choices = [
      ['a', 'A'],
      ['b.c', 'B'],
    ] as const;
    const shown = textOf(checkboxes({ name: 'of', label: 'Of', choices, chosen: ['b.c'] }));
    assert.match(shown, /name="of\.a" value="on">A/);
    assert.match(shown, /name="of\.b\.c" value="on" checked>B/);
    assert.deepEqual(chosenIn({ 'of.b.c': 'on', 'off.a': 'on', other: 'x' }, 'of'), ['b.c']);
  });
});
