/** What damages are made of: rules that several files break, and pieces of statements. */

export type Damage = readonly [rule: string, sql: string];

export const one = (table: string, where = '1 = 1', id = 'id') =>
  `${id} = (SELECT min(${id}) FROM ${table} WHERE ${where})`;
export const paid = one('checkout', 'amount_paid > 0');
export const event = one('event');
export const COLUMNS = 'the columns of a session say what it says itself';
export const DUE = 'a session is due when it says so';
export const REFUNDS = 'the refunds that are found are those of the session';
export const EXACT = 'every number can be counted with exactly';
export const SUM = 'what is paid is the sum of the ledger';
/** The first number that has a neighbour from which JavaScript cannot tell it. */
export const BEYOND = '9007199254740993';
export const ofEndpoint = (column: string) => `${column} LIKE 'whe#_%' ESCAPE '#'`;
/** Another row that differs in its id alone. */
export const copied = (table: string, where: string) => `
  CREATE TEMPORARY TABLE copied AS SELECT * FROM ${table} WHERE ${where};
  UPDATE copied SET id = 'copy_of_' || id; INSERT INTO ${table} SELECT * FROM copied`;
export const inSession = (text: string, other: string) =>
  `UPDATE checkout SET data = replace(data, '${text}', '${other}')`;
