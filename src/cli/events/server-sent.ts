/**
 * Reads a stream of server-sent events (text/event-stream) as it comes in. The API also sends an id without data: that
 * is no event, but where to go on from. Parsers for pages pass over it, so this is one of our own.
 */

/** `data` is null where there is none. */
export type Block = { readonly id: string; readonly data: string | null };

/** Far more than an event has: a line without an end must not fill the memory. */
const MAX_LINE_CHARACTERS = 16 * 1024 * 1024;

export function createParser() {
  let unfinished = '';
  let id = '';
  let data: string[] = [];

  return {
    /** The blocks that this piece of text brings to their end. */
    feed(text: string): Block[] {
      const blocks: Block[] = [];
      // A carriage return at the end may be half of a line break.
      const lines = (unfinished + text).split(/\r\n|\n|\r(?!$)/);
      unfinished = lines.pop() ?? '';
      if (unfinished.length > MAX_LINE_CHARACTERS) throw new Error('a line of the stream has no end');
      for (const line of lines) {
        const [, name = '', value = ''] = /^([^:]+)(?:: ?(.*))?$/s.exec(line) ?? [];
        if (line === '') {
          if (id !== '') blocks.push({ id, data: data.length === 0 ? null : data.join('\n') });
          id = '';
          data = [];
        } else if (name === 'id') id = value;
        else if (name === 'data') data.push(value);
      }
      return blocks;
    },
  };
}
