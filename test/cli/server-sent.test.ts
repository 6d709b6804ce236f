import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createParser } from '../../src/cli/events/server-sent.ts';

const stream =
  'retry: 3000\nid: 41\n\n:\nid: 42\nevent: checkout.paid\ndata: {"name":"Zoë: 5 €"}\n\n:\r\nid:43\r\ndata\r\ndata: b\r\n\r\nid: 44\ndata: cut off';

test('a stream is read whatever the pieces in which it comes', () => {
  for (let size = 1; size <= stream.length; size++) {
    const parser = createParser();
    const blocks = [];
    for (let at = 0; at < stream.length; at += size) blocks.push(...parser.feed(stream.slice(at, at + size)));
    assert.deepEqual(blocks, [
      { id: '41', data: null },
      { id: '42', data: '{"name":"Zoë: 5 €"}' },
      { id: '43', data: '\nb' },
    ]);
  }
});
