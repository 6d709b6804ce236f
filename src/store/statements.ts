/**
 * Statements on rows, once for both databases. PostgreSQL takes many rows at once, which travel as one JSON parameter
 * whatever their number; SQLite takes one, whose values are parameters: it finds rows of tables by them. So does a
 * database in shards, which sends values on to their shard as they are, and would gather what is selected to be inserted.
 */
import type { Dialect } from './sql.ts';
import { type Column, parsed, schemaOf, type Trim } from './tables.ts';

export type RowsStatement = {
  /** Cells of a row, under these names. */
  readonly columns: readonly Pick<Column, 'field' | 'type'>[];
  /** The text for so many rows: any number in PostgreSQL, and one in SQLite, unless it is said. Several are only inserted. */
  readonly textFor: (dialect: Dialect, rows?: number | 'many') => string;
};

type Names<T extends string> = T extends `${infer One},${infer Others}`
  ? Names<One> | Names<Others>
  : Trim<T> extends `${infer Name} ${string}`
    ? Name
    : never;

type Parts<N extends string> = {
  /** A column of the row. */
  readonly r: Readonly<Record<N, string>>;
  /** A clause with the rows and further tables, or none where there are none of them. */
  readonly clause: (keyword: 'FROM' | 'USING', ...tables: readonly string[]) => string;
  /** The rows of an INSERT, account and mode and these cells: SQLite would copy what is selected if it looks into the table. */
  readonly values: (cells: readonly string[]) => string;
  readonly dialect: Dialect;
};

/** A statement on rows with columns such as `id text, dueAt bigint`; account and live are $1 and $2. */
export function onRows<const C extends string>(columns: C, text: (parts: Parts<Names<C>>) => string) {
  return statement(parsed(columns), text);
}

function statement(columns: RowsStatement['columns'], text: (parts: Parts<string>) => string): RowsStatement {
  const textFor = (dialect: Dialect, number: number | 'many' = dialect === 'sqlite' ? 1 : 'many') => {
    const isMany = number === 'many';
    const types = columns.map(({ field, type }) => `"${field}" ${type}`);
    const rows = isMany ? [`json_to_recordset($3::text::json) AS r (${types.join(', ')})`] : [];
    const cells = columns.map(({ field, type }, index) => {
      if (isMany) return [field, `r."${field}"`];
      return [field, dialect === 'sqlite' ? `$${index + 3}` : `$${index + 3}::${type}`];
    });
    /** The parameters of another row are behind those of the first; account and mode are the same. */
    const ofRow = (own: string, index: number) =>
      own.replaceAll(/\$(\d+)/g, (mark, first: string) =>
        Number(first) < 3 ? mark : `$${Number(first) + index * columns.length}`,
      );
    const written = text({
      r: Object.fromEntries(cells),
      clause(keyword, ...tables) {
        const all = [...rows, ...tables];
        return all.length === 0 ? '' : `${keyword} ${all.join(', ')}`;
      },
      values(own) {
        if (isMany) return `SELECT $1::bigint, $2::boolean, ${own.join(', ')} FROM ${rows}`;
        if (dialect === 'sqlite') return `VALUES ($1, $2, ${own.join(', ')})`;
        const each = Array.from(
          { length: number },
          (_, index) => `($1::bigint, $2::boolean, ${ofRow(own.join(', '), index)})`,
        );
        return `VALUES ${each.join(', ')}`;
      },
      dialect,
    });
    return dialect === 'postgres' ? written : written.replaceAll(/\$(?=\d)/g, '?');
  };
  return { columns, textFor };
}

/** The condition that a row of a table is the tenant's. */
export const ofTenant = (table: string): string => `${table}.account = $1 AND ${table}.live = $2`;

/** The statements that write the rows of the tables of a database. */
export function tableStatements<T extends string>(dialect: Dialect) {
  const schema = schemaOf(dialect);
  /** The account and mode are those of the statement. */
  const columnsOf = (table: T) =>
    (schema[table] ?? []).filter(({ name }) => name !== 'account' && name !== 'live');
  const keyOf = (table: T) => columnsOf(table).filter(({ isKey }) => isKey);
  /** With the account and mode, where these are a part of it. */
  const wholeKeyOf = (table: T) => (schema[table] ?? []).filter(({ isKey }) => isKey);
  function isRow(table: T, r: Readonly<Record<string, string>>): string {
    const key = keyOf(table).map(({ name, field }) => ` AND ${table}.${name} = ${r[field]}`);
    return ofTenant(table) + key.join('');
  }
  const namesOf = (columns: readonly Column[]) => columns.map(({ name }) => name).join(', ');

  return {
    columnsOf,

    /** `sets` are the fields that are set where there is a row with the key already. */
    insert(table: T, sets: readonly string[]): RowsStatement {
      const columns = columnsOf(table);
      const set = columns.filter(({ field }) => sets.includes(field));
      const onConflict = `ON CONFLICT (${namesOf(wholeKeyOf(table))})
        DO UPDATE SET ${set.map(({ name }) => `${name} = excluded.${name}`).join(', ')}`;
      return statement(
        columns,
        ({ r, values }) => `INSERT INTO ${table} (account, live, ${namesOf(columns)})
          ${values(columns.map(({ field }) => `${r[field]}`))} ${set.length > 0 ? onConflict : ''}`,
      );
    },

    /** Sets these columns of the rows for which a further condition holds. */
    update: (table: T, set: readonly Column[], and: string): RowsStatement =>
      statement([...set, ...keyOf(table)], ({ r, clause }) => {
        const assignments = set.map(({ name, field }) => `${name} = ${r[field]}`).join(', ');
        return `UPDATE ${table} SET ${assignments} ${clause('FROM')} WHERE ${isRow(table, r)} ${and}`;
      }),

    /**
     * Sets these fields of rows that are still as they were seen: of one that somebody has changed since, the counter
     * becomes null, which the table refuses, and the whole transaction comes to nothing.
     */
    replace(table: T, sets: readonly string[]): RowsStatement {
      const columns = columnsOf(table).filter(
        ({ isKey, isCounter, field }) => isKey || isCounter || sets.includes(field),
      );
      const assigned = columns.filter(({ isKey }) => !isKey);
      return statement([...columns, ...parsed('seen integer')], ({ r, clause }) => {
        const assignments = assigned.map(({ name, field, isCounter }) => {
          const value = `${r[field]}`;
          return `${name} = ${isCounter ? `CASE WHEN ${table}.${name} = ${r.seen} THEN ${value} END` : value}`;
        });
        return `UPDATE ${table} SET ${assignments.join(', ')} ${clause('FROM')} WHERE ${isRow(table, r)}`;
      });
    },

    remove: (table: T): RowsStatement =>
      statement(
        keyOf(table),
        ({ r, clause }) => `DELETE FROM ${table} ${clause('USING')} WHERE ${isRow(table, r)}`,
      ),
  };
}
