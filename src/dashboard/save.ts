/**
 * Saving and removing what somebody else may be changing too. What a form changes is compared with what there is, and the
 * API takes it for that version alone: where somebody is quicker even so, it is compared with what they have made of it.
 */
import { setTimeout } from 'node:timers/promises';
import type { ApiAnswer, ApiCaller, ApiRefusal, Mistake } from './api.ts';
import { type Editable, editOf } from './edit.ts';
import type { Form } from './form.ts';
import { conditionIn, versionIn } from './seen.ts';

/** Status of the answer to a request for a version that is no longer the newest, or for something new that is there. */
export const STALE = 412;

/**
 * Tries for somebody who is too late, and the time between two: within a second a process hears of what another one has
 * changed.
 */
const TRIES = 6;
const WAIT_MS = 250;

export type Saved<T> =
  /** `isChanged` is false where all was so before, be it by somebody else. */
  | { readonly data: T; readonly isChanged: boolean }
  /** Mistakes to show beside the form. */
  | { readonly status: number; readonly mistakes: readonly Mistake[] }
  /** There is nothing to show a form for. */
  | { readonly refusal: ApiRefusal };

/** Saves a change of what is at the address; `change` makes it of what there is, and may find that somebody was quicker. */
export async function saveChange<T>(
  api: Pick<ApiCaller, 'get' | 'send'>,
  url: string,
  change: (now: T) => { readonly body: object; readonly mistakes?: readonly Mistake[] },
): Promise<Saved<T>> {
  for (let tries = 1; ; tries++) {
    const now: ApiAnswer<T> = await api.get<T>(url);
    if (!now.ok) return { refusal: now };
    const { body, mistakes = [] } = change(now.data);
    if (mistakes.length > 0) return { status: 422, mistakes };
    const answer = await api.send<T>('PUT', url, body, { 'if-match': now.etag });
    if (answer.ok) return { data: answer.data, isChanged: answer.etag !== now.etag };
    if (answer.status !== STALE || tries === TRIES) return answer;
    await setTimeout(WAIT_MS);
  }
}

/** Saves what a form changes in its fields. `more` adds to the patch, or finds mistakes in it. */
export const saveEdit = <T>(
  api: Pick<ApiCaller, 'get' | 'send'>,
  url: string,
  { fields, form }: { readonly fields: ReadonlyArray<Editable<T>>; readonly form: Form },
  more: (patch: object, now: T) => ReturnType<Parameters<typeof saveChange<T>>[2]> = (body) => ({ body }),
): Promise<Saved<T>> =>
  saveChange<T>(api, url, (now) => {
    const { patch, mistakes: meanwhile } = editOf(fields, now, form);
    const { body, mistakes = [] } = more(patch, now);
    return { body, mistakes: [...meanwhile, ...mistakes] };
  });

/** `isChanged` is false for what was removed before, be it by somebody else. */
export type Removed = { readonly ok: true; readonly isChanged: boolean } | ApiRefusal;

/** Removes what is at the address, if it is as the visitor of the form has seen it. */
export async function removeSeen(
  api: Pick<ApiCaller, 'file' | 'send'>,
  url: string,
  form: Form,
): Promise<Removed> {
  const answer = await api.send('DELETE', url, undefined, conditionIn(form));
  if (answer.ok) return { ok: true, isChanged: true };
  // The API answers 412 for what is not there, too: that has no version that could be the right one.
  const found = answer.status === STALE ? await newerAt(api, url, versionIn(form)) : answer;
  return !found.ok && found.status === 404 ? { ok: true, isChanged: false } : answer;
}

/** The file at the address, as soon as this process has heard of what made the version stale. */
async function newerAt(
  api: Pick<ApiCaller, 'file'>,
  url: string,
  stale: string | undefined,
): ReturnType<ApiCaller['file']> {
  for (let tries = 1; ; tries++) {
    const found = await api.file(url);
    if (!found.ok || found.data.etag !== stale || tries === TRIES) return found;
    await setTimeout(WAIT_MS);
  }
}
