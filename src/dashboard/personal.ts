/** Personal data of users: how they are asked for, and what is wrong with them. */
import { type Html, html } from '../lib/html.ts';
import { isCommon } from '../users/common-passwords.ts';
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '../users/passwords.ts';
import { EMAIL_LENGTH, USER_NAME_LENGTH, type User } from '../users/user.ts';
import type { Mistake } from './api.ts';
import { field as fieldOf } from './form.ts';

/** Characters that no name and no address has, and that PostgreSQL does not take. */
const CONTROL = /\p{Cc}/u;

export const isEmail = (text: string): boolean =>
  /^[^\s@]+@[^\s@]+$/.test(text) && text.length <= EMAIL_LENGTH && !CONTROL.test(text);

export function emailMistakes({ name, email }: { readonly name: string; readonly email: string }): Mistake[] {
  const mistakes: Mistake[] = [];
  if (name === '' || name.length > USER_NAME_LENGTH || CONTROL.test(name))
    mistakes.push({
      message: `Your name has 1 to ${USER_NAME_LENGTH} characters, all of which can be seen.`,
      pointer: '/name',
    });
  if (!isEmail(email)) mistakes.push({ message: 'This is no e-mail address.', pointer: '/email' });
  return mistakes;
}

/** A shorter name may be a part of any word. */
const SHORTEST_NAME = 4;

/** Whose password it is to be, by the words that others guess first: theirs, and those of their accounts. */
type Owner = Pick<User, 'email' | 'name'> & { readonly accounts: readonly string[] };

const SERVICE = 'opentill';

/** The same words, however they are written: `My Shop!` is in `myshop2026`. */
const bare = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Words that are no secret, with what is said of them. */
const knownWords = ({ email, name, accounts }: Owner): ReadonlyArray<readonly [string, string]> => [
  [email.split('@', 1)[0] ?? '', 'your e-mail address'],
  ...name.split(/\s+/).map((word) => [word, 'your name'] as const),
  ...accounts.map((account) => [account, 'the name of an account'] as const),
  [SERVICE, 'the name of this service'],
];

/**
 * Length is what counts (NIST SP 800-63B, 3.1.1), behind lists of what others try first: the common passwords, and words that
 * go with the user.
 */
export async function passwordMistakes(field: string, password: string, owner: Owner): Promise<Mistake[]> {
  const mistakes: Mistake[] = [];
  const pointer = `/${field}`;
  if (password.length < PASSWORD_MIN_LENGTH)
    mistakes.push({ message: `The password needs ${PASSWORD_MIN_LENGTH} characters at least.`, pointer });
  // Nothing else is looked for in a longer one, which may be as long as a request.
  if (password.length > PASSWORD_MAX_LENGTH)
    return [{ message: `The password has ${PASSWORD_MAX_LENGTH} characters at most.`, pointer }];
  const text = bare(password);
  const known = knownWords(owner).filter(
    ([word]) => bare(word).length >= SHORTEST_NAME && text.includes(bare(word)),
  );
  for (const words of new Set(known.map(([, words]) => words)))
    mistakes.push({ message: `The password has ${words} in it.`, pointer });
  if (new Set(password).size < 5 && password.length >= PASSWORD_MIN_LENGTH)
    mistakes.push({ message: 'The password repeats a few characters.', pointer });
  if (mistakes.length === 0 && (await isCommon(password)))
    mistakes.push({
      message: 'The password is a common one, or made of common ones, which others try first.',
      pointer,
    });
  return mistakes;
}

export const newPasswordField = (name: string, label: string, mistakes: readonly Mistake[] = []): Html =>
  fieldOf(
    {
      name,
      label,
      type: 'password',
      autocomplete: 'new-password',
      required: true,
      hint: html`${PASSWORD_MIN_LENGTH} characters at least: four or five words are easy to remember.`,
    },
    mistakes,
  );
