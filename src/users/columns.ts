/** Columns of the list of sessions that a user has chosen, for each account by itself. */
import { type Refusal, refuseFields } from '../checkout/refusals.ts';
import type { User } from './user.ts';
import { type CommandOf, changed, type UserDecision } from './user-commands.ts';

/** More than the list has. */
export const MAX_COLUMNS = 30;
/** Maximum of the accounts that a user has chosen columns for: behind it, the choice that is the oldest goes. */
export const MAX_CHOICES = 50;
const NAME = /^[a-z_]{1,30}$/;

/** A choice takes the place of the one before; null stands for the usual columns. */
export function withColumns(
  user: User,
  { account, columns }: CommandOf<'choose_columns'>,
): UserDecision | Refusal {
  const names = columns ?? [];
  if (names.length > MAX_COLUMNS || new Set(names).size < names.length || !names.every(isName))
    return refuseFields([
      {
        pointer: '/columns',
        detail: `must be the names of at most ${MAX_COLUMNS} columns, each of them once`,
      },
    ]);
  const known = columnsOn(user, account);
  if (known?.join() === columns?.join()) return { kind: 'unchanged', user };
  const others = withoutColumns(user, account);
  const all = columns === null ? others : [...others, { account, columns }];
  return changed({ ...user, columns: all.slice(-MAX_CHOICES) });
}

const isName = (text: string): boolean => NAME.test(text);

/** The choices for all accounts but this one. */
export const withoutColumns = ({ columns = [] }: User, account: number): NonNullable<User['columns']> =>
  columns.filter((each) => each.account !== account);

/** The columns that the user has chosen for an account; undefined for the usual ones. */
export const columnsOn = ({ columns = [] }: User, account: number): readonly string[] | undefined =>
  columns.find((each) => each.account === account)?.columns;
