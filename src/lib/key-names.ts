/** Names of JSON fields (`tax_id`) as names in code (`taxId`), and back; for the compiler as well as at run time. */

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** The type with the names of its fields in camel case, at every level. */
export type CamelKeys<T> =
  T extends ReadonlyArray<infer Element>
    ? ReadonlyArray<CamelKeys<Element>>
    : T extends object
      ? { readonly [Key in keyof T as Key extends string ? CamelCase<Key> : Key]: CamelKeys<T[Key]> }
      : T;

export function camelKeys<T>(value: T): CamelKeys<T> {
  return renamed(value, (name) =>
    name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
  ) as CamelKeys<T>;
}

/** The inverse of `camelKeys`. */
export function snakeKeys<T>(value: CamelKeys<T>): T {
  return renamed(value, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)) as T;
}

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => renamed(each, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [rename(name), renamed(each, rename)]),
  );
}
