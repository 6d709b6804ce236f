/** Components of what several operations of the document have in common. */
import { type JsonObject, refTo } from './schemas.ts';

export type Use = {
  /** Uses with the same key are the same. */
  readonly key: string;
  readonly value: JsonObject;
  /** Name of its component, and the longer one that it has if something else has the same name. */
  readonly name: string;
  readonly longName: string;
};

export type Shared = {
  readonly components: Readonly<Record<string, JsonObject>>;
  /** Reference to the component of the key; undefined if there was only one use. */
  readonly of: (key: string) => JsonObject | undefined;
};

/** A component of everything that is used more than once. */
export function share(kind: string, uses: readonly Use[]): Shared {
  const byKey = [...Map.groupBy(uses, ({ key }) => key).values()];
  const byName = Map.groupBy(byKey, ([first]) => first?.name);
  const nameOf = ({ name, longName }: Use) => (byName.get(name)?.length === 1 ? name : longName);
  const repeated = byKey.filter(({ length }) => length > 1).flatMap(([first]) => first ?? []);
  const names = new Map(repeated.map((use) => [use.key, nameOf(use)]));
  if (new Set(names.values()).size < names.size) throw new Error(`two ${kind} have the same name`);
  return {
    components: Object.fromEntries(repeated.map((use) => [nameOf(use), use.value])),
    of(key) {
      const name = names.get(key);
      return name === undefined ? undefined : refTo(kind, name);
    },
  };
}
