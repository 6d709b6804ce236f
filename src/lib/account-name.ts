/** Names of accounts, which payers see. Pure. */

export const ACCOUNT_NAME_LENGTH = 100;

/** Joiners are of the spelling of some languages. What else is not seen would make two names look the same. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u;
const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** The rest of the sentence "The name …", or null for a name that payers can read. */
export function accountNameProblem(text: string): string | null {
  if (!SEEN.test(text) || text.length > ACCOUNT_NAME_LENGTH)
    return `must have 1 to ${ACCOUNT_NAME_LENGTH} characters`;
  if (UNSEEN.test(text)) return 'must have no characters that cannot be seen';
  return text === text.trim() ? null : 'must have no blanks at its ends';
}
