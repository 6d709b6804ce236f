/** Markup as a template: every value is text in it, and a drawing has nothing but shapes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compact, drawing, type Html, html, textOf } from '../../src/lib/html.ts';
import { drawCode } from '../../src/methods/bank/codes/draw.ts';

test('a template escapes all but what templates have made', () => {
  assert.equal(
    textOf(html`<p title="${`"'<>&`}">${'<b>'}${html`<i>${'&'}</i>`}</p>`),
    '<p title="&quot;&#39;&lt;&gt;&amp;">&lt;b&gt;<i>&amp;</i></p>',
  );
  assert.equal(textOf(html`${[html`<b>1</b>`, '<', 2]}${false}${null}${undefined}${0}`), '<b>1</b>&lt;20');
  const forged = JSON.parse('{"markup":"<script>","Symbol(markup)":"<script>"}') as Html;
  assert.equal(textOf(html`${forged}`), 'undefined');
});

test('a drawing has nothing but shapes in it', () => {
  const code = drawCode({ payload: 'upi://pay', errorCorrection: 'M', swissCross: true });
  assert.equal(textOf(html`${drawing(code)}`), code);
  for (const other of [
    '',
    '<svg><text>A</text></svg>',
    '<svg onload="x"></svg>',
    '<svg><path d="M0 0"/></svg><script>x</script>',
    '<svg><image href="https://evil.example"/></svg>',
    '<svg fill="url(javascript)"></svg>',
    '<svg><path d="&quot;"/></svg>',
  ]) {
    assert.throws(() => drawing(other), other);
  }
});

test('a template that is made once is the same in one piece', () => {
  const content = html`<p>${['<', html`<b>ü</b>`]}</p>`;
  assert.equal(textOf(compact(content)), textOf(content));
  assert.equal(textOf(html`${compact(content)}`), '<p>&lt;<b>ü</b></p>');
});
