/** Conditions of a change on what is there before it, by tags (RFC 9110, section 13.1). Pure. */
import { hash } from 'node:crypto';

/** Tags, without their quotes; or anything at all. */
type Wanted = readonly string[] | '*';

export type Condition = {
  /** If-Match: what is there has to have one of these tags. */
  readonly match?: Wanted;
  /** If-None-Match: it must have none of them. `*` asks that there be nothing. */
  readonly noneMatch?: Wanted;
};

/** True if a change with this condition may be made of what has the tag; null stands for what is not there. */
export function isMet({ match, noneMatch }: Condition, tag: string | null): boolean {
  const has = (wanted: Wanted) => tag !== null && (wanted === '*' || wanted.includes(tag));
  return (match === undefined || has(match)) && (noneMatch === undefined || !has(noneMatch));
}

/** Characters of a tag, 6 bits each. */
const TAG_LENGTH = 22;

/** The tag of a JSON value, whatever the order of its keys: another value has another one. */
export const tagOf = (value: unknown): string =>
  hash('sha256', JSON.stringify(value, inOrder), 'base64url').slice(0, TAG_LENGTH);

const inOrder = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;
