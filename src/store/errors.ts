/** Errors of every adapter, by which their callers tell what to do. */

/** A database that cannot be used at all, in one line for the operator. */
export class UnusableDatabase extends Error {
  override name = 'UnusableDatabase';
}

/** Events behind this place in the feed are no longer kept: going on from there would leave some out. */
export class CursorExpired extends Error {
  override name = 'CursorExpired';
}

/** The database cannot serve now (full, locked, gone); the same request may succeed later. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}
