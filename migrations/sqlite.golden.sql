-- The schema after all migrations, to be compared. After a new migration:
-- OPENTILL_WRITE_GOLDEN=1 node --test test/store/sqlite-only.test.ts

PRAGMA user_version = 1;

-- table account
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

-- table api_key
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

-- table audit
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

-- table awaited
CREATE TABLE awaited (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  currency TEXT NOT NULL,
  amount INTEGER NOT NULL,
  attempt TEXT NOT NULL,
  checkout TEXT NOT NULL,
  PRIMARY KEY (account, live, currency, amount, attempt)
) STRICT, WITHOUT ROWID;

-- table bank_entry
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

-- table bank_file
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

-- table checkout
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

-- table checkout_metadata
CREATE TABLE checkout_metadata (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  checkout TEXT NOT NULL,
  PRIMARY KEY (account, live, name, value, checkout)
) STRICT, WITHOUT ROWID;

-- table clock_move
CREATE TABLE clock_move (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  at INTEGER NOT NULL,
  offset_ms INTEGER NOT NULL,
  PRIMARY KEY (account, live, at)
) STRICT, WITHOUT ROWID;

-- table customer
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

-- table dashboard_user
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

-- table delivery
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

-- table delivery_attempt
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

-- table directory
CREATE TABLE directory (
  version INTEGER NOT NULL,
  accounts INTEGER NOT NULL,
  api_keys INTEGER NOT NULL,
  -- Filled and emptied to find out whether there is room for changes, after one that failed.
  trial BLOB
) STRICT;

-- table event
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

-- table feed_start
CREATE TABLE feed_start (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (account, live)
) STRICT;

-- table idempotency
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

-- table installation_secret
CREATE TABLE installation_secret (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (account, live, name)
) STRICT, WITHOUT ROWID;

-- table logo
CREATE TABLE logo (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  name TEXT NOT NULL,
  content TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (account, live)
) STRICT;

-- table movement
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

-- table payment
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

-- table payment_attempt
CREATE TABLE payment_attempt (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  id TEXT NOT NULL,
  rail TEXT NOT NULL,
  reference TEXT NOT NULL,
  checkout TEXT NOT NULL,
  PRIMARY KEY (account, live, id)
) STRICT;

-- table provider_event
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

-- table refund
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

-- table request_log
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

-- table webhook_endpoint
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

-- table webhook_receiver
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

-- index account_changed
CREATE INDEX account_changed ON account (changed_in);

-- index api_key_created
CREATE INDEX api_key_created ON api_key (account, live, created_at, id);

-- index audit_tenant
CREATE INDEX audit_tenant ON audit (account, live);

-- index bank_entry_due
CREATE INDEX bank_entry_due ON bank_entry (account, live, due_at) WHERE due_at IS NOT NULL;

-- index bank_entry_open
CREATE INDEX bank_entry_open ON bank_entry (account, live) WHERE state = 'open';

-- index bank_entry_reference
CREATE UNIQUE INDEX bank_entry_reference ON bank_entry (account, live, reference);

-- index bank_entry_state
CREATE INDEX bank_entry_state ON bank_entry (account, live, state, id);

-- index bank_file_hash
CREATE UNIQUE INDEX bank_file_hash ON bank_file (account, live, kind, hash);

-- index bank_file_kind
CREATE INDEX bank_file_kind ON bank_file (account, live, kind, id);

-- index checkout_class
CREATE INDEX checkout_class ON checkout
  (account, live, invoice_currency, status, payment_status, partially_paid, paid_in_excess, id);

-- index checkout_customer
CREATE INDEX checkout_customer ON checkout (account, live, customer, id) WHERE customer IS NOT NULL;

-- index checkout_description
CREATE INDEX checkout_description ON checkout (account, live, description, id)
  WHERE description NOT GLOB '[0-9] x *' AND description NOT GLOB '[0-9][0-9] x *';

-- index checkout_due
CREATE INDEX checkout_due ON checkout (account, live, due_at) WHERE due_at IS NOT NULL;

-- index checkout_email
CREATE INDEX checkout_email ON checkout (account, live, email, id) WHERE email IS NOT NULL;

-- index checkout_overview
CREATE INDEX checkout_overview ON checkout
  (account, live, id, amount, description, invoice_currency, status, payment_status, partially_paid, paid_in_excess,
    amount_paid);

-- index checkout_reference
CREATE INDEX checkout_reference ON checkout (account, live, reference_id, id);

-- index customer_email
CREATE UNIQUE INDEX customer_email ON customer (account, live, email) WHERE email IS NOT NULL;

-- index dashboard_user_email
CREATE UNIQUE INDEX dashboard_user_email ON dashboard_user (account, live, email) WHERE email IS NOT NULL;

-- index dashboard_user_identity
CREATE UNIQUE INDEX dashboard_user_identity ON dashboard_user (account, live, identity) WHERE identity IS NOT NULL;

-- index delivery_due
CREATE INDEX delivery_due ON delivery (account, live, due_at, receiver) WHERE due_at IS NOT NULL;

-- index delivery_event
CREATE INDEX delivery_event ON delivery (account, live, event);

-- index delivery_failed
CREATE INDEX delivery_failed ON delivery (account, live, id) WHERE state = 'failed';

-- index delivery_ordering
CREATE INDEX delivery_ordering ON delivery (account, live, receiver, subject, sequence) WHERE state = 'pending';

-- index delivery_pending
CREATE INDEX delivery_pending ON delivery (account, live, id) WHERE state = 'pending';

-- index delivery_receiver
CREATE INDEX delivery_receiver ON delivery (account, live, receiver, id);

-- index delivery_receiver_due
CREATE INDEX delivery_receiver_due ON delivery (account, live, receiver, due_at) WHERE due_at IS NOT NULL;

-- index event_id
CREATE UNIQUE INDEX event_id ON event (account, live, id);

-- index movement_back
CREATE INDEX movement_back ON movement (account, live, type, id, currency, rail, amount) WHERE type <> 'payment';

-- index movement_checkout
CREATE INDEX movement_checkout ON movement (account, live, checkout, id);

-- index movement_currency
CREATE INDEX movement_currency ON movement (account, live, currency, id, time_to_pay_ms);

-- index movement_fee
CREATE INDEX movement_fee ON movement (account, live, fee_currency, currency, rail, id, fee)
  WHERE fee_currency IS NOT NULL;

-- index movement_late
CREATE INDEX movement_late ON movement (account, live, id, currency, rail, amount) WHERE late = 1;

-- index movement_rail
CREATE INDEX movement_rail ON movement (account, live, rail, id);

-- index movement_reference
CREATE INDEX movement_reference ON movement (account, live, reference, id);

-- index movement_total
CREATE INDEX movement_total ON movement (account, live, currency, rail, id, amount, time_to_pay_ms);

-- index payment_attempt_reference
CREATE UNIQUE INDEX payment_attempt_reference ON payment_attempt (account, live, rail, reference);

-- index payment_checkout
CREATE INDEX payment_checkout ON payment (account, live, checkout);

-- index provider_event_due
CREATE INDEX provider_event_due ON provider_event (account, live, due_at) WHERE due_at IS NOT NULL;

-- index provider_event_open
CREATE INDEX provider_event_open ON provider_event (account, live, id) WHERE state = 'open';

-- index provider_event_reference
CREATE UNIQUE INDEX provider_event_reference ON provider_event (account, live, rail, reference);

-- index refund_checkout
CREATE INDEX refund_checkout ON refund (account, live, checkout, id);

-- index refund_pending
CREATE INDEX refund_pending ON refund (account, live, id) WHERE state = 'pending';

-- index refund_pending_rail
CREATE INDEX refund_pending_rail ON refund (account, live, rail, id) WHERE state = 'pending';

-- index refund_rail
CREATE INDEX refund_rail ON refund (account, live, rail, id);

-- index webhook_endpoint_slot
CREATE UNIQUE INDEX webhook_endpoint_slot ON webhook_endpoint (account, live, slot);

-- trigger account_inserted
CREATE TRIGGER account_inserted AFTER INSERT ON account
BEGIN
  UPDATE directory SET version = version + 1, accounts = accounts + 1;
  UPDATE account SET changed_in = (SELECT version FROM directory) WHERE number = NEW.number;
END;

-- trigger account_updated
CREATE TRIGGER account_updated AFTER UPDATE ON account WHEN NEW.changed_in = OLD.changed_in
BEGIN
  UPDATE directory SET version = version + 1;
  UPDATE account SET changed_in = (SELECT version FROM directory) WHERE number = NEW.number;
END;

-- trigger api_key_inserted
CREATE TRIGGER api_key_inserted AFTER INSERT ON api_key
BEGIN UPDATE directory SET version = version + 1, api_keys = api_keys + 1; END;

-- trigger api_key_updated
CREATE TRIGGER api_key_updated AFTER UPDATE ON api_key
BEGIN
  UPDATE directory SET version = version + 1;
  UPDATE account SET changed_in = (SELECT version FROM directory) WHERE number = NEW.account;
END;

-- trigger payment_is_append_only_delete
CREATE TRIGGER payment_is_append_only_delete BEFORE DELETE ON payment
BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END;

-- trigger payment_is_append_only_update
CREATE TRIGGER payment_is_append_only_update BEFORE UPDATE ON payment
BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END;
