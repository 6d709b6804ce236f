/**
 * Hidden fields of a form with what its visitor has seen: what they ask for is done to that alone. A form without them says
 * nothing of what its visitor has seen.
 */
import type { Html } from '../lib/html.ts';
import { type Form, hidden } from './form.ts';

const VERSION = 'version';
const LEFT = 'left';

/** The hidden field with the version of what the form is about; empty where there is nothing yet. */
export const versionField = (version: string): Html => hidden(VERSION, version);

export const versionIn = ({ [VERSION]: version }: Form): string | undefined => version;

/**
 * The version for a form that comes again: the one that its visitor has seen, until `isStale` says that they are told of the
 * newest one. Otherwise a mistake in between would have them act on what nobody has shown them, and a form whose key is kept
 * would no longer be the same request.
 */
export const versionAfter = (form: Form, newest: string, isStale = false): string =>
  isStale ? newest : (versionIn(form) ?? newest);

/** True where there is another version by now than the one that the visitor of the form has seen. */
export const isOtherThanSeen = (form: Form, newest: string): boolean =>
  (versionIn(form) ?? newest) !== newest;

/** The headers by which the API acts on that version alone, or only where there is nothing. */
export function conditionIn(form: Form): Readonly<Record<string, string>> {
  const version = versionIn(form);
  if (version === undefined) return {};
  return version === '' ? { 'if-none-match': '*' } : { 'if-match': version };
}

/** The hidden field with the amount that is left, in minor units. */
export const leftField = (amount: number): Html => hidden(LEFT, String(amount));

/** The amount, for the field of a request by which the API acts only while just so much is left. */
export const leftIn = ({ [LEFT]: text = '' }: Form): number | undefined =>
  /^\d{1,15}$/.test(text) ? Number(text) : undefined;

/** The amount for a form that comes again, in the same way. */
export const leftAfter = (form: Form, now: number, isStale = false): number =>
  isStale ? now : (leftIn(form) ?? now);
