/** Times and spans of time as people type them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatSpan, parseMoment, parseSpan } from '../../src/cli/moment.ts';

const NOW = Date.UTC(2030, 0, 31, 12);

test('a moment is a time, or an age', () => {
  const rows: ReadonlyArray<readonly [text: string, ms: number]> = [
    ['30s', NOW - 30_000],
    ['90m', NOW - 5_400_000],
    ['2h', NOW - 7_200_000],
    ['3d', NOW - 259_200_000],
    ['1w', NOW - 604_800_000],
    ['2030-01-31', Date.UTC(2030, 0, 31)],
    ['2030-01-31T12:00Z', NOW],
    ['2030-01-31T12:00:00.5Z', NOW + 500],
    ['2030-01-31T14:00:00+02:00', NOW],
    ['1970-01-01T00:00:00Z', 0],
    ['9999-12-31T23:59:59.999Z', Date.UTC(10_000) - 1],
  ];
  for (const [text, ms] of rows) assert.equal(parseMoment(text, NOW), ms, text);
  for (const text of [
    '',
    '2',
    '2 h',
    '2y',
    '-2h',
    'yesterday',
    '1969-12-31T23:59:59Z',
    '2030-02-31T',
    '99999w',
  ])
    assert.throws(() => parseMoment(text, NOW), /^Error: takes a time such as/, text);
  assert.throws(() => parseMoment('0s', Date.UTC(10_000)), /takes a time/);
});

test('a span is a number with its unit, or 0', () => {
  const rows: ReadonlyArray<readonly [text: string, seconds: number]> = [
    ['0', 0],
    ['45s', 45],
    ['90m', 5_400],
    ['24h', 86_400],
    ['7d', 604_800],
    ['2w', 1_209_600],
  ];
  for (const [text, seconds] of rows) assert.equal(parseSpan(text), seconds, text);
  for (const text of ['', '1', '00', 'h', '1.5h', '1x'])
    assert.throws(() => parseSpan(text), /^Error: takes a span of time/, text);
});

test('a span is told in its two largest units', () => {
  const rows: ReadonlyArray<readonly [ms: number, text: string]> = [
    [0, '0s'],
    [999, '0s'],
    [59_999, '59s'],
    [60_000, '1m 0s'],
    [3_600_000, '1h 0m'],
    [11_579_000, '3h 12m'],
    [90_000_000, '1d 1h'],
    [604_800_000, '1w 0d'],
    [1_300_000_000, '2w 1d'],
  ];
  for (const [ms, text] of rows) assert.equal(formatSpan(ms), text, text);
});
