-- The first schema. Times are milliseconds since the epoch, amounts minor units (ISO 4217), live is 0 or 1.
-- Every key and index of a tenant's data starts with (account, live), so that it can be distributed by account.

CREATE TABLE account (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  webhook_secret_test TEXT NOT NULL,
  webhook_secret_live TEXT NOT NULL,
  -- How far the account's test clock is ahead of real time.
  test_clock_offset_ms INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The directory that authentication looks in before it knows an account. Of the secret there is only its SHA-256.
CREATE TABLE api_key (
  id TEXT PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES account (number),
  live INTEGER NOT NULL CHECK (live IN (0, 1)),
  secret_hash TEXT NOT NULL UNIQUE,
  -- Space-separated: read write refund webhooks.
  permissions TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;

-- Counts the changes of the two tables above, for those who keep them in memory.
CREATE TABLE directory (version INTEGER NOT NULL) STRICT;
INSERT INTO directory VALUES (1);
CREATE TRIGGER account_inserted AFTER INSERT ON account BEGIN UPDATE directory SET version = version + 1; END;
CREATE TRIGGER account_updated AFTER UPDATE ON account BEGIN UPDATE directory SET version = version + 1; END;
CREATE TRIGGER api_key_inserted AFTER INSERT ON api_key BEGIN UPDATE directory SET version = version + 1; END;
CREATE TRIGGER api_key_updated AFTER UPDATE ON api_key BEGIN UPDATE directory SET version = version + 1; END;

CREATE TABLE customer (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  id TEXT NOT NULL,
  -- Lower-case; null where there is no address.
  email TEXT,
  data TEXT NOT NULL,
  PRIMARY KEY (account, live, id)
) STRICT;
CREATE UNIQUE INDEX customer_email ON customer (account, live, email) WHERE email IS NOT NULL;

-- Columns for what lists filter by and the worker looks for; everything else of a session is in data.
CREATE TABLE checkout (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  id TEXT NOT NULL,
  version INTEGER NOT NULL,
  event_count INTEGER NOT NULL,
  -- Position of the newest event.
  last_event INTEGER NOT NULL,
  status TEXT NOT NULL,
  payment_status TEXT NOT NULL,
  invoice_currency TEXT NOT NULL,
  amount INTEGER NOT NULL,
  -- Derived from the payments; here for filters, and to know without a look that there are none.
  amount_paid INTEGER NOT NULL,
  partially_paid INTEGER NOT NULL,
  paid_in_excess INTEGER NOT NULL,
  reference_id TEXT NOT NULL,
  customer TEXT,
  -- Lower-case, for prefix search.
  email TEXT,
  -- The description's first 64 characters, lower-case, for prefix search.
  description TEXT,
  -- When the worker has to look at the session; null for never.
  due_at INTEGER,
  data TEXT NOT NULL,
  PRIMARY KEY (account, live, id)
) STRICT;
CREATE INDEX checkout_status ON checkout (account, live, status, id);
CREATE INDEX checkout_payment_status ON checkout (account, live, payment_status, id);
CREATE INDEX checkout_currency ON checkout (account, live, invoice_currency, id);
-- In the order of lists, with what changes most at hand: a new amount or description stays on its page, where an index
-- in the order of their values would cost each update two pages at random. (Measured: a quarter of the update's time.)
CREATE INDEX checkout_overview ON checkout (account, live, id, amount, description);
CREATE INDEX checkout_reference ON checkout (account, live, reference_id, id);
CREATE INDEX checkout_customer ON checkout (account, live, customer, id) WHERE customer IS NOT NULL;
CREATE INDEX checkout_email ON checkout (account, live, email, id) WHERE email IS NOT NULL;
CREATE INDEX checkout_partially_paid ON checkout (account, live, id) WHERE partially_paid = 1;
CREATE INDEX checkout_paid_in_excess ON checkout (account, live, id) WHERE paid_in_excess = 1;
CREATE INDEX checkout_due ON checkout (account, live, due_at) WHERE due_at IS NOT NULL;

-- Top-level metadata that is text, number or boolean, as text, for the filter metadata[key]=value.
CREATE TABLE checkout_metadata (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  checkout TEXT NOT NULL,
  PRIMARY KEY (account, live, name, value, checkout)
) STRICT, WITHOUT ROWID;

-- Which session an attempt belongs to, by our id and by the rail's. The attempt itself is in the session.
CREATE TABLE payment_attempt (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  id TEXT NOT NULL,
  rail TEXT NOT NULL,
  reference TEXT NOT NULL,
  checkout TEXT NOT NULL,
  PRIMARY KEY (account, live, id)
) STRICT;
CREATE UNIQUE INDEX payment_attempt_reference ON payment_attempt (account, live, rail, reference);

-- The ledger. Append-only; what is paid is derived from it.
CREATE TABLE payment (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  rail TEXT NOT NULL,
  reference TEXT NOT NULL,
  checkout TEXT NOT NULL,
  attempt TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  currency TEXT NOT NULL,
  booked_at INTEGER NOT NULL,
  late INTEGER NOT NULL,
  PRIMARY KEY (account, live, rail, reference)
) STRICT;
CREATE INDEX payment_checkout ON payment (account, live, checkout, booked_at);
CREATE TRIGGER payment_is_append_only_update BEFORE UPDATE ON payment
BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER payment_is_append_only_delete BEFORE DELETE ON payment
BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END;

-- position counts 1, 2, 3 … within the account and mode, in the order of commit. body is what receivers get.
CREATE TABLE event (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  position INTEGER NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  checkout TEXT NOT NULL,
  -- Counts 1, 2, 3 … within the session.
  sequence INTEGER NOT NULL,
  -- Position of the session's event before this one, 0 for none: a session's history is a chain that begins at its
  -- last_event. An index by session would cost every change a page at random.
  previous INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (account, live, position)
) STRICT;
CREATE UNIQUE INDEX event_id ON event (account, live, id);

-- One event on its way to one receiver. due_at is null once it has arrived or was given up.
CREATE TABLE delivery (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  id TEXT NOT NULL,
  event TEXT NOT NULL,
  checkout TEXT NOT NULL,
  url TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL,
  due_at INTEGER,
  last_status INTEGER,
  last_error TEXT,
  PRIMARY KEY (account, live, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX delivery_due ON delivery (account, live, due_at) WHERE due_at IS NOT NULL;

-- The stored answer to a request that may be repeated. created_at is real time.
CREATE TABLE idempotency (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  idempotency_key TEXT NOT NULL,
  -- Method and path.
  operation TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  status_code INTEGER NOT NULL,
  headers TEXT NOT NULL,
  -- The whole body; or, where an event of the same change has the rest of it, what stands before that.
  body TEXT NOT NULL,
  -- Position of that event.
  event INTEGER,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account, live, idempotency_key, operation)
) STRICT;

-- Who made which change, in the order of commit. A log that is only appended to, and read from end to end.
CREATE TABLE audit (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  subject TEXT NOT NULL,
  version INTEGER NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  request_id TEXT NOT NULL
) STRICT;
