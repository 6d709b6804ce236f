/** The names of the fields that a record is known to have, and no others. */
export function keysOf<T extends object>(record: T): (keyof T & string)[] {
  return Object.keys(record) as (keyof T & string)[];
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The record without fields that are undefined. */
export function withoutUndefined<T extends object>(record: T): Defined<T> {
  return Object.fromEntries(Object.entries(record).filter(([, each]) => each !== undefined)) as Defined<T>;
}
