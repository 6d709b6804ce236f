/** Windows-1252, the encoding that programs of bookkeepers read: text reduced to its characters, and its bytes. */

const all = new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
const bytes: ReadonlyMap<string, number> = new Map(Array.from(all, (character, byte) => [character, byte]));

/** The text with a letter for each that the encoding lacks, where there is one that is like it, and points elsewhere. */
export function reduced(text: string): string {
  return Array.from(text.normalize('NFC'), (character) => {
    if (bytes.has(character)) return character;
    const like = character.normalize('NFKD').replace(/\p{M}/gu, '');
    return Array.from(like).every((each) => bytes.has(each)) ? like : '.';
  }).join('');
}

export const encoded = (text: string): Uint8Array =>
  Uint8Array.from(reduced(text), (character) => bytes.get(character) ?? 0x2e);
