/** Personal data of users: how they are asked for, and what is wrong with them. */
import { type Html, html } from '../lib/html.ts';
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '../users/passwords.ts';
import { EMAIL_LENGTH, USER_NAME_LENGTH } from '../users/user.ts';
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

/** Length is what counts (NIST SP 800-63B, 3.1.1); the address that goes with a password is its first guess. */
export function passwordMistakes(field: string, password: string, email: string): Mistake[] {
  const mistakes: Mistake[] = [];
  const pointer = `/${field}`;
  if (password.length < PASSWORD_MIN_LENGTH)
    mistakes.push({ message: `The password needs ${PASSWORD_MIN_LENGTH} characters at least.`, pointer });
  if (password.length > PASSWORD_MAX_LENGTH)
    mistakes.push({ message: `The password has ${PASSWORD_MAX_LENGTH} characters at most.`, pointer });
  const [name = ''] = email.split('@', 1);
  if (name.length >= SHORTEST_NAME && password.toLowerCase().includes(name))
    mistakes.push({ message: 'The password has your e-mail address in it.', pointer });
  if (new Set(password).size < 5 && password.length >= PASSWORD_MIN_LENGTH)
    mistakes.push({ message: 'The password repeats a few characters.', pointer });
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
