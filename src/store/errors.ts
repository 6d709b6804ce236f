/** Errors of every adapter, by which their callers tell what to do. */

/** A database that cannot be used at all, in one line for the operator. */
export class UnusableDatabase extends Error {
  override name = 'UnusableDatabase';
}

/** A row is not the one that was written: a disk, or another program, has changed it. */
export class DamagedRow extends Error {
  override name = 'DamagedRow';
  /** The id of what it is about, where it has one and that can be told. */
  readonly id: string | null;

  constructor(message: string, id: string | null = null) {
    super(message);
    this.id = id;
  }
}

/** Events behind this place in the feed are no longer kept: going on from there would leave some out. */
export class CursorExpired extends Error {
  override name = 'CursorExpired';
}

/** The database cannot serve now (full, locked, gone); the same request may succeed later. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
  /** Why, in words without hosts or paths, where it will not pass by itself. */
  readonly reason: string | null;

  constructor(
    message: string,
    { reason = null, ...options }: ErrorOptions & { reason?: string | null } = {},
  ) {
    super(message, options);
    this.reason = reason;
  }
}

/** The service ends, and has closed its database: whoever still waits is a client that has left. */
export class StoreClosed extends StoreUnavailable {
  override name = 'StoreClosed';

  constructor() {
    super('the database is closed');
  }
}
