/** Text as the standards for payment codes allow it. A code with a character too many is read by no bank. */

/** Letters that do not come apart into a plain letter and a mark. */
const plainLetters: Readonly<Record<string, string>> = {
  Æ: 'AE',
  æ: 'ae',
  Œ: 'OE',
  œ: 'oe',
  Ø: 'O',
  ø: 'o',
  ß: 'ss',
  ẞ: 'SS',
  Þ: 'Th',
  þ: 'th',
  Ð: 'D',
  ð: 'd',
  Đ: 'D',
  đ: 'd',
  Ł: 'L',
  ł: 'l',
  ı: 'i',
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '–': '-',
  '—': '-',
};

/**
 * One line of at most `maxLength` characters, each of which `allowed` matches. A letter that is not allowed is written
 * without its marks (é as e, ß as ss); what then is not allowed is left out. May come out empty.
 */
export function cleanText(text: string, allowed: RegExp, maxLength: number): string {
  const cleaned = [...text.normalize('NFC')].map((character) => {
    if (allowed.test(character)) return character;
    const plain = plainLetters[character] ?? character.normalize('NFKD').replace(/\p{M}/gu, '');
    return [...plain].filter((each) => allowed.test(each) || /\s/.test(each)).join('');
  });
  const line = cleaned.join('').replace(/\s+/g, ' ').trim();
  return cutText(line, maxLength);
}

/** At most `maxLength` characters of a text, none of them halved. */
export function cutText(text: string, maxLength: number): string {
  return [...text].slice(0, maxLength).join('').trim();
}

/** The printable characters of ASCII. */
export const ASCII = /^[ -~]$/;
