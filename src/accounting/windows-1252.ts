/** Windows-1252, the encoding that programs of bookkeepers read: text reduced to its characters, and its bytes. */

const all = new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
const bytes: ReadonlyMap<string, number> = new Map(Array.from(all, (character, byte) => [character, byte]));

/** The text with a letter for each that the encoding lacks, where there is one that is like it, and points elsewhere. */
export function reduced(text: string): string {
  return text.normalize('NFC').replace(/\P{ASCII}/gu, (character) => {
    if (bytes.has(character)) return character;
    const like = character.normalize('NFKD').replace(/\p{M}/gu, '');
    return Array.from(like).every((each) => bytes.has(each)) ? like : '.';
  });
}

/** The bytes of the text, reduced: every character of it is a single unit, and ASCII is as it is. */
export function encoded(text: string): Uint8Array {
  const fitting = reduced(text);
  const found = new Uint8Array(fitting.length);
  for (let place = 0; place < fitting.length; place++) {
    const code = fitting.charCodeAt(place);
    found[place] = code < 0x80 ? code : (bytes.get(fitting.charAt(place)) ?? 0x2e);
  }
  return found;
}
