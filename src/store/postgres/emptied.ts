/** Parts that a query of the driver is made of, its statement and the values, all of them taken out. */
const PARTS = { strings: null, args: null, string: null, statement: null, parameters: null, signature: null };

/**
 * Takes out of queries that are answered what they were made of. The driver sets functions on each, and V8 makes a function
 * that is written behind `object.name =` among its old objects: all that hangs on such a query stays in memory until those
 * are collected. (Measured for fetches: 240 bytes of each were left there in the place of 790.)
 */
export function emptyQueries(answered: Iterable<object>): void {
  for (const query of answered) Object.assign(query, PARTS);
}
