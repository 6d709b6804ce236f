/** A form that was sent by somebody who was no longer signed in: it is kept in the page, and can be sent again behind the sign-in. */
import { type Html, html } from '../lib/html.ts';
import { type Form, formOf, hidden } from './form.ts';

/** The name of the field that has the form, as JSON. */
export const KEPT = 'kept';
const MAX_LENGTH = 16_384;

/** `user` is who has typed it: nobody else sends it. */
type Kept = { readonly path: string; readonly form: Form; readonly user: string };

/** Secrets that people type in: nothing shows them again, so a form that comes back asks for them anew. */
export const TYPED_SECRETS: readonly string[] = ['secret_key', 'webhook_secret'];

/** Fields that must not stand in a page: tokens of the sign-in that has ended, and what proves who somebody is. */
const LEFT_OUT = [
  'form_token',
  'form_user',
  'password',
  'code',
  'current_password',
  'new_password',
  'confirm_password',
  'confirm_code',
  'confirm_passkey',
  'passkey',
  ...TYPED_SECRETS,
  'secret',
];

/** The field for the page, or nothing if there is no form, or one that is too long. */
export function keptField(path: string, form: Form, user: string): Html | false {
  const fields = Object.fromEntries(Object.entries(form).filter(([name]) => !LEFT_OUT.includes(name)));
  const text = JSON.stringify({ path, form: fields, user } satisfies Kept);
  return text.length <= MAX_LENGTH && hidden(KEPT, text);
}

export function readKept(text: string | undefined): Kept | null {
  if (text === undefined || text.length > MAX_LENGTH) return null;
  try {
    const { path, form, user } = JSON.parse(text);
    return isOwnPath(path) && typeof user === 'string' ? { path, form: formOf(form), user } : null;
  } catch {
    return null;
  }
}

/** True for the path of a screen: a browser is led nowhere else. */
export const isOwnPath = (path: unknown): path is string =>
  typeof path === 'string' &&
  /^\/dashboard(\/[\w./-]*)?(\?[\w.~%&=+:@,-]*)?$/.test(path) &&
  !path.includes('..');

/** The form, to be sent again. */
export const resendForm = ({ path, form }: Kept, basePath: string, fields: Html): Html =>
  html`<form method="post" action="${basePath}${path}">
${fields}${Object.entries(form).map(([name, value]) => hidden(name, value))}
<button>Send the form again</button>
</form>`;
