/**
 * SQL for both databases: a tagged template that keeps text and values apart, and is written out for the one that runs
 * it. What differs in a place is said in that place.
 */

export type Value = string | number | boolean | null;
export type Dialect = 'sqlite' | 'postgres';

/** A statement or a part of one. */
export type Sql = {
  readonly texts: readonly string[];
  readonly parts: readonly Part[];
  /** Set if its rows may be long, and are read no further once they have so many bytes; see `endedBy`. */
  readonly most?: number;
  /** Set for a list whose form is one of few that are asked for all the time: it is worth being prepared. */
  readonly isUsual?: boolean;
};
type Part = Value | Sql | Either | Values;
type Either = Readonly<Record<Dialect, Sql>>;
/** Any number of values in one. */
type Values = { readonly values: readonly string[] };

/** A statement as a database takes it. */
export type Statement = { readonly text: string; readonly values: Value[] };

export function sql(texts: TemplateStringsArray, ...parts: readonly Part[]): Sql {
  return { texts, parts };
}

const raws = new Map<string, Sql>();

/** Text of our own making, of which there is little: names of tables, columns and indexes. */
export function raw(text: string): Sql {
  const known = raws.get(text) ?? { texts: [text], parts: [] };
  raws.set(text, known);
  return known;
}

export const nothing = raw('');

/** Where the databases differ. */
export function either(parts: { readonly sqlite?: Sql; readonly postgres?: Sql }): Sql {
  const { sqlite = nothing, postgres = nothing } = parts;
  return { texts: ['', ''], parts: [{ sqlite, postgres }] };
}

/** A condition that holds for any of these values. Their number changes nothing in the text, but one is the usual case. */
export function isAnyOf(column: string, values: readonly string[]): Sql {
  const [only = '', ...others] = values;
  return either({
    sqlite:
      values.length > 0 && others.length === 0
        ? sql`${raw(column)} = ${only}`
        : sql`${raw(column)} IN (SELECT value FROM json_each(${{ values }}))`,
    postgres: sql`${raw(column)} = ANY (${{ values }}::text[])`,
  });
}

/** The rows of a table that have one of these pairs in two columns: a FROM, behind which more can be joined. */
export function amongPairs(
  table: string,
  [first, second]: readonly [string, string],
  pairs: ReadonlyArray<readonly [string, string]>,
): Sql {
  const [a = '', b = ''] = pairs[0] ?? [];
  const firsts = { values: pairs.map(([value]) => value) };
  const seconds = { values: pairs.map(([, value]) => value) };
  const columns = sql`${raw(first)}, ${raw(second)}`;
  return either({
    sqlite:
      pairs.length === 1
        ? sql`(SELECT * FROM ${raw(table)} WHERE ${raw(first)} = ${a} AND ${raw(second)} = ${b}) AS ${raw(table)}`
        : // SQLite keeps to the order of tables in a cross join.
          sql`json_each(${firsts}) AS one JOIN json_each(${seconds}) AS other USING (key)
            CROSS JOIN ${raw(table)} ON ${raw(first)} = one.value AND ${raw(second)} = other.value`,
    postgres: sql`unnest(${firsts}::text[], ${seconds}::text[]) AS wanted (${columns})
      JOIN ${raw(table)} USING (${columns})`,
  });
}

/** For PostgreSQL, rows as a table in a FROM, with columns such as `id text`: however many, they are one value. */
export function rowsAs(name: string, columns: string, rows: readonly object[]): Sql {
  return sql`json_to_recordset(${JSON.stringify(rows)}::text::json) AS ${raw(`${name} (${columns})`)}`;
}

export function join(all: readonly Sql[], separator: string): Sql {
  if (all.length === 0) return nothing;
  return { texts: ['', ...Array<string>(all.length - 1).fill(separator), ''], parts: all };
}

/** The text with a mark in the place of each value. */
export function written(statement: Sql, dialect: Dialect): Statement {
  const values: Value[] = [];
  return { text: write(statement, dialect, values), values };
}

/** It is written anew each time, which takes a microsecond or two: loops and closures would take several more. */
function write({ texts, parts }: Sql, dialect: Dialect, values: Value[]): string {
  let text = texts[0] as string;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as Part;
    if (typeof part !== 'object' || part === null) text += mark(part, dialect, values);
    else if ('texts' in part) text += write(part, dialect, values);
    else if ('values' in part) text += mark(listed(part.values, dialect), dialect, values);
    else text += write(part[dialect], dialect, values);
    text += texts[index + 1];
  }
  return text;
}

/** The values alone, for a statement whose text is known. */
export function valuesOf({ parts }: Sql, dialect: Dialect, values: Value[] = []): Value[] {
  for (const part of parts) {
    if (typeof part !== 'object' || part === null) values.push(part);
    else if ('texts' in part) valuesOf(part, dialect, values);
    else if ('values' in part) values.push(listed(part.values, dialect));
    else valuesOf(part[dialect], dialect, values);
  }
  return values;
}

function mark(value: Value, dialect: Dialect, values: Value[]): string {
  const count = values.push(value);
  return dialect === 'sqlite' ? '?' : `$${count}`;
}

function listed(values: readonly string[], dialect: Dialect): string {
  return dialect === 'sqlite' ? JSON.stringify(values) : textArray(values);
}

/** Text values as a literal of an array, for parameters of type text[]. */
export function textArray(values: Iterable<string>): string {
  const quoted = [...values].map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`);
  return `{${quoted.join()}}`;
}
