/** Outcome of a request to the dashboard: a screen to show, the way to one, or a file to download. */
import type { Mistake } from './api.ts';
import type { Screen } from './document.ts';
import type { Notice } from './notices.ts';

/** `away` is an address of another site. `goTo` is a path below `/dashboard`; `done` names the sentence that the next screen begins with. */
export type Outcome =
  | ({ readonly status?: number } & Pick<Screen, 'title' | 'main' | 'current'>)
  | { readonly away: string }
  | { readonly goTo: string; readonly done?: Notice }
  | { readonly file: Download };

/** A file that is made piece by piece, as fast as it is read; whoever reads it may leave at any time. */
export type Download = {
  /** Letters, digits, dots and hyphens. */
  readonly name: string;
  readonly type: string;
  readonly content: AsyncIterable<string | Uint8Array>;
};

export const notFound: Outcome = {
  status: 404,
  title: 'There is no such page',
  main: 'It may have been removed, or you have no role on its account.',
};

/** The status of a form that comes again, where the API has refused with this one. */
export const refusedAs = (status: number): number => (status >= 500 ? status : 422);

/** The screen for what the API refuses where there is no form to show the mistakes in. */
export const refused = (status: number, mistakes: readonly Mistake[]): Outcome =>
  status === 404
    ? notFound
    : { status, title: 'This was not done', main: mistakes.map(({ message }) => message).join(' ') };
