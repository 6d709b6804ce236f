-- The first schema. Times are milliseconds since the epoch, amounts minor units (ISO 4217), live is 0 or 1.
-- Every key and index of a tenant's data starts with (account, live), so that it can be distributed by account.
-- checksum is the CRC-32 of what a row says (src/store/checksum.ts): pages of SQLite have none.

CREATE TABLE account (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  webhook_secret_test TEXT NOT NULL,
  webhook_secret_live TEXT NOT NULL,
  -- How far the account's test clock is ahead of real time.
  test_clock_offset_ms INTEGER NOT NULL DEFAULT 0,
  -- The secret before the current one, and until when it signs as well.
  previous_webhook_secret_test TEXT,
  previous_webhook_secret_test_until INTEGER,
  previous_webhook_secret_live TEXT,
  previous_webhook_secret_live_until INTEGER,
  -- What the account configures, as JSON; null for the defaults.
  settings_test TEXT,
  settings_live TEXT,
  -- The account's own credentials at its rails, sealed, as JSON; null for none.
  rail_credentials_test TEXT,
  rail_credentials_live TEXT,
  -- The name of its logo; null for none.
  logo_test TEXT,
  logo_live TEXT,
  -- The version of the directory that the last change of it, or of a key of it, has made.
  changed_in INTEGER NOT NULL DEFAULT 0,
  -- Of all but the clock and that version. Written behind the rest, in the same transaction.
  checksum INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX account_changed ON account (changed_in);

-- The directory that authentication looks in before it knows an account. Of the secret there is only its SHA-256.
CREATE TABLE api_key (
  id TEXT PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES account (number),
  live INTEGER NOT NULL CHECK (live IN (0, 1)),
  secret_hash TEXT NOT NULL UNIQUE,
  -- Space-separated: read write refund webhooks bank manage accounts.
  permissions TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER,
  checksum INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX api_key_created ON api_key (account, live, created_at, id);

-- Counts the changes of the two tables above, for those who keep them in memory, and their rows, of which none is ever
-- removed: one that is missing would be missed by nobody else.
CREATE TABLE directory (
  version INTEGER NOT NULL,
  accounts INTEGER NOT NULL,
  api_keys INTEGER NOT NULL,
  -- Filled and emptied to find out whether there is room for changes, after one that failed.
  trial BLOB
) STRICT;
INSERT INTO directory VALUES (1, 0, 0, NULL);
CREATE TRIGGER account_inserted AFTER INSERT ON account
BEGIN
  UPDATE directory SET version = version + 1, accounts = accounts + 1;
  UPDATE account SET changed_in = (SELECT version FROM directory) WHERE number = NEW.number;
END;
CREATE TRIGGER account_updated AFTER UPDATE ON account WHEN NEW.changed_in = OLD.changed_in
BEGIN
  UPDATE directory SET version = version + 1;
  UPDATE account SET changed_in = (SELECT version FROM directory) WHERE number = NEW.number;
END;
CREATE TRIGGER api_key_inserted AFTER INSERT ON api_key
BEGIN UPDATE directory SET version = version + 1, api_keys = api_keys + 1; END;
CREATE TRIGGER api_key_updated AFTER UPDATE ON api_key
BEGIN
  UPDATE directory SET version = version + 1;
  UPDATE account SET changed_in = (SELECT version FROM directory) WHERE number = NEW.account;
END;

-- The image that an account shows on the payer's page, in Base64. Its name, which the account has as well, begins with a
-- hash of it.
CREATE TABLE logo (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  name TEXT NOT NULL,
  content TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (account, live)
) STRICT;

-- How far the test clock of an account is ahead since when, in real time. Of data with a clock of its own it tells how old it is.
CREATE TABLE clock_move (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  at INTEGER NOT NULL,
  offset_ms INTEGER NOT NULL,
  PRIMARY KEY (account, live, at)
) STRICT, WITHOUT ROWID;

-- People who sign in to the dashboard. They are of the installation, which is account 0 in live mode.
CREATE TABLE dashboard_user (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  id TEXT NOT NULL,
  -- Lower-case; null until an invitation is accepted.
  email TEXT,
  -- A hash of the account at a provider of OpenID Connect, or null.
  identity TEXT,
  -- Accounts with the role on each: ' 1:owner 12:support '; operators of the installation have 0:operator as well.
  accounts TEXT NOT NULL,
  data TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (account, live, id)
) STRICT;
CREATE UNIQUE INDEX dashboard_user_email ON dashboard_user (account, live, email) WHERE email IS NOT NULL;
CREATE UNIQUE INDEX dashboard_user_identity ON dashboard_user (account, live, identity) WHERE identity IS NOT NULL;

-- Secrets that processes share and nobody is shown. They are of the installation, as users are.
CREATE TABLE installation_secret (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (account, live, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE customer (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  id TEXT NOT NULL,
  -- Lower-case; null where there is no address.
  email TEXT,
  data TEXT NOT NULL,
  checksum INTEGER NOT NULL,
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
  -- Of the row and its payments.
  checksum INTEGER NOT NULL,
  PRIMARY KEY (account, live, id)
) STRICT;
-- Of the five that have few values, all at once: what is asked of some of them is a number of ranges, each in the order of
-- lists (src/store/resources/checkout-classes.ts).
CREATE INDEX checkout_class ON checkout
  (account, live, invoice_currency, status, payment_status, partially_paid, paid_in_excess, id);
-- In the order of lists, with what most rows are looked at for. What changes most is here and in no other index: a new
-- amount or description stays on its page, where an index in the order of their values would cost each update two pages
-- at random. (Measured: a quarter of the update's time.)
CREATE INDEX checkout_overview ON checkout
  (account, live, id, amount, description, invoice_currency, status, payment_status, partially_paid, paid_in_excess,
    amount_paid);
-- Descriptions that a merchant has written; those that are made of items begin with a quantity, and change with them.
CREATE INDEX checkout_description ON checkout (account, live, description, id)
  WHERE description NOT GLOB '[0-9] x *' AND description NOT GLOB '[0-9][0-9] x *';
CREATE INDEX checkout_reference ON checkout (account, live, reference_id, id);
CREATE INDEX checkout_customer ON checkout (account, live, customer, id) WHERE customer IS NOT NULL;
CREATE INDEX checkout_email ON checkout (account, live, email, id) WHERE email IS NOT NULL;
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
CREATE INDEX payment_checkout ON payment (account, live, checkout);
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
  -- What it is about: a session, or an endpoint.
  subject TEXT NOT NULL,
  -- Counts 1, 2, 3 … within its subject.
  sequence INTEGER NOT NULL,
  -- Position of the session's event before this one, 0 for none: a session's history is a chain that begins at its
  -- last_event. An index by session would cost every change a page at random.
  previous INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  -- The bank entry or the event of a provider that led to it; 'asked' where an answer of the rail did by itself.
  cause TEXT,
  body TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (account, live, position)
) STRICT;
CREATE UNIQUE INDEX event_id ON event (account, live, id);

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
  checksum INTEGER NOT NULL,
  PRIMARY KEY (account, live, idempotency_key, operation)
) STRICT;

-- Who made which change, in the order of commit. A log that is only appended to.
CREATE TABLE audit (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  subject TEXT NOT NULL,
  version INTEGER NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  request_id TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
-- Ends with the number of the row, so that the lines of a tenant are read from the newest on.
CREATE INDEX audit_tenant ON audit (account, live);

-- Requests that asked for a change, and those that were refused, of the last days. Beside the data of merchants: nothing is
-- decided on it, nothing leads to it, and it is written behind the answers.
CREATE TABLE request_log (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  actor TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  operation TEXT NOT NULL,
  subject TEXT,
  status INTEGER NOT NULL,
  -- A list of codes and names of fields, in JSON.
  errors TEXT NOT NULL,
  duration_ms INTEGER NOT NULL,
  idempotency TEXT NOT NULL CHECK (idempotency IN ('none', 'key', 'replayed')),
  left_out INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (account, live, id)
) STRICT, WITHOUT ROWID;

-- An address that a merchant has registered. All but what counts its changes is in data.
CREATE TABLE webhook_endpoint (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  id TEXT NOT NULL,
  version INTEGER NOT NULL,
  event_count INTEGER NOT NULL,
  -- One of those that an account and mode has: so there are never more, whoever makes some at the same time.
  slot INTEGER NOT NULL CHECK (slot BETWEEN 1 AND 100),
  data TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (account, live, id)
) STRICT;

CREATE UNIQUE INDEX webhook_endpoint_slot ON webhook_endpoint (account, live, slot);

-- How a receiver fails, while it does: an endpoint by its id, or a host that sessions name by its origin. probe_at is
-- null until there have been so many failures that it gets nothing but probes.
CREATE TABLE webhook_receiver (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  id TEXT NOT NULL,
  failures INTEGER NOT NULL,
  failing_since INTEGER NOT NULL,
  probes INTEGER NOT NULL,
  probe_at INTEGER,
  announced INTEGER NOT NULL,
  last_error TEXT NOT NULL,
  PRIMARY KEY (account, live, id)
) STRICT, WITHOUT ROWID;

-- One event on its way to one receiver. Subject and receiver are its ordering key: of the pending ones with one key, in the
-- order of sequence, only the first has a due_at, and the others wait behind it.
CREATE TABLE delivery (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  id TEXT NOT NULL,
  event TEXT NOT NULL,
  subject TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  receiver TEXT NOT NULL,
  -- Where the session wants it; null for an endpoint, whose own address counts at each attempt.
  url TEXT,
  created_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL,
  -- How many of the attempts were made before it was last sent again by hand.
  round_start INTEGER NOT NULL,
  due_at INTEGER,
  tried_at INTEGER,
  last_status INTEGER,
  last_error TEXT,
  PRIMARY KEY (account, live, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX delivery_ordering ON delivery (account, live, receiver, subject, sequence) WHERE state = 'pending';
CREATE INDEX delivery_due ON delivery (account, live, due_at, receiver) WHERE due_at IS NOT NULL;
CREATE INDEX delivery_receiver_due ON delivery (account, live, receiver, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX delivery_receiver ON delivery (account, live, receiver, id);
CREATE INDEX delivery_event ON delivery (account, live, event);
CREATE INDEX delivery_pending ON delivery (account, live, id) WHERE state = 'pending';
CREATE INDEX delivery_failed ON delivery (account, live, id) WHERE state = 'failed';

-- What came of each attempt. answer is the beginning of what the receiver said.
CREATE TABLE delivery_attempt (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  delivery TEXT NOT NULL,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  status INTEGER,
  error TEXT,
  answer TEXT NOT NULL,
  PRIMARY KEY (account, live, delivery, number)
) STRICT, WITHOUT ROWID;

-- Events up to this position are no longer kept; no row where all are.
CREATE TABLE feed_start (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (account, live)
) STRICT;

-- Which session a refund belongs to. The refund itself is part of the session.
CREATE TABLE refund (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  id TEXT NOT NULL,
  checkout TEXT NOT NULL,
  rail TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'succeeded', 'failed')),
  -- The file that it went out in, whatever became of it.
  payment_file TEXT,
  PRIMARY KEY (account, live, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX refund_checkout ON refund (account, live, checkout, id);
CREATE INDEX refund_rail ON refund (account, live, rail, id);
CREATE INDEX refund_pending ON refund (account, live, id) WHERE state = 'pending';
CREATE INDEX refund_pending_rail ON refund (account, live, rail, id) WHERE state = 'pending';

-- Money that came, went back or was taken back, by time: what lists and totals are made of. It follows from the sessions.
CREATE TABLE movement (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('payment', 'refund', 'reversal')),
  created_at INTEGER NOT NULL,
  checkout TEXT NOT NULL,
  rail TEXT NOT NULL,
  reference TEXT NOT NULL,
  currency TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount >= 0),
  late INTEGER NOT NULL,
  time_to_pay_ms INTEGER CHECK (time_to_pay_ms >= 0),
  fee INTEGER CHECK (fee >= 0),
  fee_currency TEXT,
  PRIMARY KEY (account, live, id),
  CHECK ((fee IS NULL) = (fee_currency IS NULL))
) STRICT;

-- With what totals are made of, so that they look at nothing else.
CREATE INDEX movement_total ON movement (account, live, currency, rail, id, amount, time_to_pay_ms);
-- For lists, and the newest times to pay.
CREATE INDEX movement_currency ON movement (account, live, currency, id, time_to_pay_ms);
-- Few; payments are found in the order of all.
CREATE INDEX movement_back ON movement (account, live, type, id, currency, rail, amount) WHERE type <> 'payment';
CREATE INDEX movement_late ON movement (account, live, id, currency, rail, amount) WHERE late = 1;
-- Payments of which a fee is known, by its currency.
CREATE INDEX movement_fee ON movement (account, live, fee_currency, currency, rail, id, fee)
  WHERE fee_currency IS NOT NULL;
CREATE INDEX movement_checkout ON movement (account, live, checkout, id);
CREATE INDEX movement_reference ON movement (account, live, reference, id);
CREATE INDEX movement_rail ON movement (account, live, rail, id);

-- Attempts that wait for a transfer, by what they wait for; made from the sessions.
CREATE TABLE awaited (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  currency TEXT NOT NULL,
  amount INTEGER NOT NULL,
  attempt TEXT NOT NULL,
  checkout TEXT NOT NULL,
  PRIMARY KEY (account, live, currency, amount, attempt)
) STRICT, WITHOUT ROWID;

-- What providers have sent by themselves, as it came; body is that of the request.
CREATE TABLE provider_event (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  id TEXT NOT NULL,
  rail TEXT NOT NULL,
  reference TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'open', 'done')),
  due_at INTEGER,
  tries INTEGER NOT NULL,
  reason TEXT CHECK (
    reason IN ('no_session', 'no_answer', 'key_refused', 'request_refused', 'answer_unclear')
  ),
  attempt_reference TEXT,
  payment_reference TEXT,
  body TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (account, live, id)
) STRICT;

CREATE UNIQUE INDEX provider_event_reference ON provider_event (account, live, rail, reference);
CREATE INDEX provider_event_due ON provider_event (account, live, due_at) WHERE due_at IS NOT NULL;
-- What a person has to look at, to be counted.
CREATE INDEX provider_event_open ON provider_event (account, live, id) WHERE state = 'open';

-- Bookings of statements, each once, with what became of them.
CREATE TABLE bank_entry (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  id TEXT NOT NULL,
  reference TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'open', 'done', 'ignored')),
  due_at INTEGER,
  tries INTEGER NOT NULL,
  data TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (account, live, id)
) STRICT;

CREATE UNIQUE INDEX bank_entry_reference ON bank_entry (account, live, reference);
CREATE INDEX bank_entry_state ON bank_entry (account, live, state, id);
CREATE INDEX bank_entry_due ON bank_entry (account, live, due_at) WHERE due_at IS NOT NULL;
-- What a person has to decide about, to be counted.
CREATE INDEX bank_entry_open ON bank_entry (account, live) WHERE state = 'open';

-- Statements that were read, and files of payments that were made for a bank; only of these the content is kept.
CREATE TABLE bank_file (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('statement', 'ingesting', 'payments')),
  created_at INTEGER NOT NULL,
  hash TEXT NOT NULL,
  data TEXT NOT NULL,
  content TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (account, live, id)
) STRICT;

CREATE UNIQUE INDEX bank_file_hash ON bank_file (account, live, kind, hash);
CREATE INDEX bank_file_kind ON bank_file (account, live, kind, id);
