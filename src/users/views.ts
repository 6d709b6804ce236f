/**
 * Saved views: filters of a list by a name of the user's own. They keep no search, and no customer or reference: those are
 * about a person, and erasing somebody would not find them here.
 */
import { type Refusal, refuseFields } from '../checkout/refusals.ts';
import type { User, View } from './user.ts';
import { type CommandOf, changed, type UserDecision } from './user-commands.ts';

/** Maximum of the views of a user on one account. */
export const MAX_VIEWS = 50;
/** Maximum of the characters in all filters of a user, on all accounts: every screen reads them along with the user. */
export const MAX_VIEW_CHARACTERS = 100_000;
export const VIEW_NAME_LENGTH = 50;
/** The form is longer than any filters that fit together; a browser takes no longer addresses everywhere. */
const QUERY_LENGTH = 2_000;

const isView =
  ({ account, name }: Pick<View, 'account' | 'name'>) =>
  (each: View): boolean =>
    each.account === account && each.name === name;

/** A view takes the place of one with the same name. */
export function withView(user: User, { view }: CommandOf<'save_view'>): UserDecision | Refusal {
  const { name, query } = view;
  if (name === '' || name.length > VIEW_NAME_LENGTH || /\p{Cc}/u.test(name))
    return refuseFields([
      { pointer: '/view', detail: `must have 1 to ${VIEW_NAME_LENGTH} characters, all of which can be seen` },
    ]);
  if (query === '' || query.length > QUERY_LENGTH)
    return refuseFields([
      { pointer: '/query', detail: `needs filters of no more than ${QUERY_LENGTH} characters` },
    ]);
  const known = user.views.find(isView(view));
  if (known?.query === query) return { kind: 'unchanged', user };
  const others = user.views.filter((each) => !isView(view)(each));
  if (others.filter(({ account }) => account === view.account).length >= MAX_VIEWS)
    return refuseFields([
      { pointer: '/views', detail: `are ${MAX_VIEWS} on the account already: remove one first` },
    ]);
  const characters = others.reduce((sum, each) => sum + each.query.length, query.length);
  if (characters > MAX_VIEW_CHARACTERS)
    return refuseFields([
      {
        pointer: '/views',
        detail: `have more than ${MAX_VIEW_CHARACTERS} characters of filters on all accounts: remove one first`,
      },
    ]);
  return changed({ ...user, views: [...others, view] });
}

export function withoutView(user: User, { view }: CommandOf<'remove_view'>): UserDecision {
  const views = user.views.filter((each) => !isView(view)(each));
  return views.length === user.views.length ? { kind: 'unchanged', user } : changed({ ...user, views });
}

/** Views of the user on an account, by name. */
export const viewsOn = ({ views }: User, account: number): readonly View[] =>
  views
    .filter((each) => each.account === account)
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
