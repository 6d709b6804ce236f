-- The first schema. Times are milliseconds since the epoch, amounts minor units (ISO 4217).
-- Every key and index of a tenant's data starts with (account, live), so that it can be distributed by account; there
-- are no foreign keys, triggers or sequences across tenants for the same reason. Text that is compared is in the order
-- of its bytes, whatever the collation of the database.

CREATE TABLE account (
  number bigint PRIMARY KEY,
  name text NOT NULL,
  created_at bigint NOT NULL,
  webhook_secret_test text NOT NULL,
  webhook_secret_live text NOT NULL,
  -- How far the account's test clock is ahead of real time.
  test_clock_offset_ms bigint NOT NULL DEFAULT 0,
  -- The secret before the current one, and until when it signs as well.
  previous_webhook_secret_test text,
  previous_webhook_secret_test_until bigint,
  previous_webhook_secret_live text,
  previous_webhook_secret_live_until bigint,
  -- What the account configures, as JSON; null for the defaults.
  settings_test text,
  settings_live text,
  -- The account's own credentials at its rails, sealed, as JSON; null for none.
  rail_credentials_test text,
  rail_credentials_live text,
  -- The name of its logo; null for none.
  logo_test text,
  logo_live text,
  -- The version of the directory that the last change of it, or of a key of it, has made.
  changed_in bigint NOT NULL DEFAULT 0
);
CREATE INDEX account_changed ON account (changed_in);

-- The directory that authentication looks in before it knows an account. Of the secret there is only its SHA-256.
CREATE TABLE api_key (
  id text COLLATE "C" PRIMARY KEY,
  account bigint NOT NULL,
  live boolean NOT NULL,
  secret_hash text COLLATE "C" NOT NULL UNIQUE,
  -- Space-separated: read write refund webhooks bank manage accounts.
  permissions text NOT NULL,
  name text NOT NULL,
  created_at bigint NOT NULL,
  revoked_at bigint
);
CREATE INDEX api_key_created ON api_key (account, live, created_at, id);

-- One row. version counts the changes of the two tables above, for those who keep them in memory; checked_at is written
-- to know that the database can be written.
CREATE TABLE directory (
  id integer PRIMARY KEY CHECK (id = 1),
  version bigint NOT NULL,
  checked_at bigint NOT NULL
);
INSERT INTO directory VALUES (1, 1, 0);

-- The image that an account shows on the payer's page, in Base64. Its name, which the account has as well, begins with a
-- hash of it.
CREATE TABLE logo (
  account bigint NOT NULL,
  live boolean NOT NULL,
  name text NOT NULL,
  content text NOT NULL,
  PRIMARY KEY (account, live)
);

-- How far the test clock of an account is ahead since when, in real time. Of data with a clock of its own it tells how old it is.
CREATE TABLE clock_move (
  account bigint NOT NULL,
  live boolean NOT NULL,
  at bigint NOT NULL,
  offset_ms bigint NOT NULL,
  PRIMARY KEY (account, live, at)
);

-- People who sign in to the dashboard. They are of the installation, which is account 0 in live mode.
CREATE TABLE dashboard_user (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- Lower-case; null until an invitation is accepted.
  email text COLLATE "C",
  -- A hash of the account at a provider of OpenID Connect, or null.
  identity text COLLATE "C",
  -- Accounts with the role on each: ' 1:owner 12:support '; operators of the installation have 0:operator as well.
  accounts text NOT NULL,
  data text NOT NULL,
  -- Counts the changes of the row: whoever writes one names the count that it has seen.
  revision integer NOT NULL DEFAULT 1,
  PRIMARY KEY (account, live, id)
);
CREATE UNIQUE INDEX dashboard_user_email ON dashboard_user (account, live, email) WHERE email IS NOT NULL;
CREATE UNIQUE INDEX dashboard_user_identity ON dashboard_user (account, live, identity) WHERE identity IS NOT NULL;

-- Secrets that processes share and nobody is shown. They are of the installation, as users are.
CREATE TABLE installation_secret (
  account bigint NOT NULL,
  live boolean NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (account, live, name)
);

CREATE TABLE customer (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- Lower-case; null where there is no address.
  email text COLLATE "C",
  data text NOT NULL,
  -- Counts the changes of the row: whoever writes one names the count that it has seen.
  revision integer NOT NULL DEFAULT 1,
  PRIMARY KEY (account, live, id)
);
CREATE UNIQUE INDEX customer_email ON customer (account, live, email) WHERE email IS NOT NULL;

-- Columns for what lists filter by; everything else of a session is in data. None of what changes often is in an index,
-- and pages have room, so that PostgreSQL can change a row in place (HOT) and leave all indexes alone.
CREATE TABLE checkout (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  -- Counts all changes: the version stays where only the time has changed at which a rail is asked next.
  revision integer NOT NULL DEFAULT 1,
  event_count integer NOT NULL,
  status text COLLATE "C" NOT NULL,
  payment_status text COLLATE "C" NOT NULL,
  invoice_currency text COLLATE "C" NOT NULL,
  -- Derived from the payments; here for filters, and to know without a look that there are none.
  amount_paid bigint NOT NULL,
  partially_paid boolean NOT NULL,
  paid_in_excess boolean NOT NULL,
  reference_id text COLLATE "C" NOT NULL,
  customer text COLLATE "C",
  -- Lower-case, for prefix search.
  email text COLLATE "C",
  -- JSON as the service wrote it, to the byte.
  data text NOT NULL,
  -- The first six digits of the time in the id: those of one block of 2^20 ms, some seventeen minutes, are the same. Each
  -- update has the server read the expression anew, row by row: it has to stay short.
  created_block text COLLATE "C" NOT NULL GENERATED ALWAYS AS (left(id, 10)) STORED,
  PRIMARY KEY (account, live, id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
-- Of the five that have few values, all at once: what is asked of some of them is a number of ranges, each in the order of
-- lists (src/store/resources/checkout-classes.ts).
CREATE INDEX checkout_class ON checkout
  (account, live, invoice_currency, status, payment_status, partially_paid, paid_in_excess, id);
-- To count them: entries that are equal are one with the places of the rows behind it, six bytes for each.
CREATE INDEX checkout_count ON checkout
  (account, live, invoice_currency, status, partially_paid, paid_in_excess, created_block);
CREATE INDEX checkout_reference ON checkout (account, live, reference_id, id);
CREATE INDEX checkout_customer ON checkout (account, live, customer, id) WHERE customer IS NOT NULL;
CREATE INDEX checkout_email ON checkout (account, live, email, id) WHERE email IS NOT NULL;

-- What of a session is filtered by and changes with its items, in rows as narrow as an index. In the session's own row
-- each change of items would write all of its indexes anew.
CREATE TABLE checkout_overview (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  -- The description's first 64 characters, lower-case, for prefix search.
  description text COLLATE "C",
  -- For totals: what an active session is still owed, and what was paid beyond the amount.
  currency text COLLATE "C" NOT NULL,
  amount_open bigint NOT NULL CHECK (amount_open >= 0),
  amount_excess bigint NOT NULL CHECK (amount_excess >= 0),
  -- Searches for amounts look at very many entries, for which the index is enough. What changes with payments is not in it:
  -- they write no new entries.
  PRIMARY KEY (account, live, id) INCLUDE (amount)
  -- The index alone is enough for pages that were vacuumed behind their last change.
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
-- Drafts, which owe nothing though they are active; to know that there are few.
CREATE INDEX checkout_overview_draft ON checkout_overview (account, live, id) WHERE amount = 0;
CREATE INDEX checkout_overview_description ON checkout_overview (account, live, description, id)
  WHERE description IS NOT NULL;

-- Top-level metadata that is text, number or boolean, as text, for the filter metadata[key]=value.
CREATE TABLE checkout_metadata (
  account bigint NOT NULL,
  live boolean NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  checkout text COLLATE "C" NOT NULL,
  PRIMARY KEY (account, live, name, value, checkout)
);

-- When the worker has to look at a session, and until when somebody does (real time).
CREATE TABLE timer (
  account bigint NOT NULL,
  live boolean NOT NULL,
  checkout text COLLATE "C" NOT NULL,
  due_at bigint NOT NULL,
  leased_until bigint,
  PRIMARY KEY (account, live, checkout)
) WITH (fillfactor = 80);
CREATE INDEX timer_due ON timer (account, live, due_at);

-- Which session an attempt belongs to, by our id and by the rail's. The attempt itself is in the session.
CREATE TABLE payment_attempt (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  rail text COLLATE "C" NOT NULL,
  reference text COLLATE "C" NOT NULL,
  checkout text COLLATE "C" NOT NULL,
  PRIMARY KEY (account, live, id)
);
CREATE UNIQUE INDEX payment_attempt_reference ON payment_attempt (account, live, rail, reference);

-- The ledger. Append-only; what is paid is derived from it.
CREATE TABLE payment (
  account bigint NOT NULL,
  live boolean NOT NULL,
  rail text COLLATE "C" NOT NULL,
  reference text COLLATE "C" NOT NULL,
  checkout text COLLATE "C" NOT NULL,
  -- Counts 1, 2, 3 … within the session.
  line integer NOT NULL,
  attempt text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  currency text COLLATE "C" NOT NULL,
  booked_at bigint NOT NULL,
  late boolean NOT NULL,
  PRIMARY KEY (account, live, rail, reference)
);
CREATE UNIQUE INDEX payment_checkout ON payment (account, live, checkout, line);

-- body is what receivers get.
CREATE TABLE event (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  -- What it is about: a session, or an endpoint.
  subject text COLLATE "C" NOT NULL,
  -- Counts 1, 2, 3 … within its subject.
  sequence integer NOT NULL,
  created_at bigint NOT NULL,
  -- The bank entry or the event of a provider that led to it; 'asked' where an answer of the rail did by itself.
  cause text COLLATE "C",
  body text NOT NULL,
  PRIMARY KEY (account, live, id)
);
CREATE UNIQUE INDEX event_sequence ON event (account, live, subject, sequence);

-- The feed of an account and mode. position counts 1, 2, 3 …; it is given after the commit of the event, under the lock
-- of the feed's row in feed_end, so that nobody ever sees one before the one before it.
CREATE TABLE feed (
  account bigint NOT NULL,
  live boolean NOT NULL,
  position bigint NOT NULL,
  event text COLLATE "C" NOT NULL,
  PRIMARY KEY (account, live, position)
);
CREATE TABLE feed_end (
  account bigint NOT NULL,
  live boolean NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (account, live)
);
-- Events that have no position yet.
CREATE TABLE feed_waiting (
  account bigint NOT NULL,
  live boolean NOT NULL,
  subject text COLLATE "C" NOT NULL,
  sequence integer NOT NULL,
  event text COLLATE "C" NOT NULL,
  PRIMARY KEY (account, live, subject, sequence)
);

-- One row for each account and mode: whoever claims deliveries there holds its lock meanwhile.
CREATE TABLE delivery_claim (
  account bigint NOT NULL,
  live boolean NOT NULL,
  PRIMARY KEY (account, live)
);

-- The stored answer to a request that may be repeated. created_at is real time.
CREATE TABLE idempotency (
  account bigint NOT NULL,
  live boolean NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  -- Method and path.
  operation text COLLATE "C" NOT NULL,
  request_hash text COLLATE "C" NOT NULL,
  status_code integer NOT NULL,
  headers text NOT NULL,
  -- The whole body; or, where an event of the same change has the rest of it, what stands before that.
  body text NOT NULL,
  -- Id of that event.
  event text COLLATE "C",
  created_at bigint NOT NULL,
  PRIMARY KEY (account, live, idempotency_key, operation)
);
CREATE INDEX idempotency_age ON idempotency (account, live, created_at);

-- Who made which change. A log that is only appended to.
CREATE TABLE audit (
  account bigint NOT NULL,
  live boolean NOT NULL,
  -- Tells lines apart that say the same, so that they can be moved to another node.
  id text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  at bigint NOT NULL,
  actor text NOT NULL,
  action text COLLATE "C" NOT NULL,
  request_id text NOT NULL,
  PRIMARY KEY (account, live, id)
);

-- Requests that asked for a change, and those that were refused, of the last days. Beside the data of merchants: nothing is
-- decided on it, nothing leads to it, and it is written behind the answers.
CREATE TABLE request_log (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  request_id text NOT NULL,
  actor text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  operation text COLLATE "C" NOT NULL,
  subject text COLLATE "C",
  status integer NOT NULL,
  -- A list of codes and names of fields, in JSON.
  errors text NOT NULL,
  duration_ms integer NOT NULL,
  idempotency text COLLATE "C" NOT NULL CHECK (idempotency IN ('none', 'key', 'replayed')),
  left_out integer NOT NULL,
  PRIMARY KEY (account, live, id)
);

-- An address that a merchant has registered. All but what counts its changes is in data.
CREATE TABLE webhook_endpoint (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  event_count integer NOT NULL,
  -- One of those that an account and mode has: so there are never more, whoever makes some at the same time.
  slot integer NOT NULL CHECK (slot BETWEEN 1 AND 100),
  data text NOT NULL,
  PRIMARY KEY (account, live, id)
);

CREATE UNIQUE INDEX webhook_endpoint_slot ON webhook_endpoint (account, live, slot);

-- How a receiver fails, while it does: an endpoint by its id, or a host that sessions name by its origin. probe_at is
-- null until there have been so many failures that it gets nothing but probes.
CREATE TABLE webhook_receiver (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  failures integer NOT NULL,
  failing_since bigint NOT NULL,
  probes integer NOT NULL,
  probe_at bigint,
  announced boolean NOT NULL,
  last_error text NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  PRIMARY KEY (account, live, id)
) WITH (fillfactor = 80);

-- One event on its way to one receiver. Subject and receiver are its ordering key: of the pending ones with one key, in the
-- order of sequence, only the first has a due_at, and the others wait behind it.
CREATE TABLE delivery (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  event text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  sequence integer NOT NULL,
  receiver text COLLATE "C" NOT NULL,
  -- Where the session wants it; null for an endpoint, whose own address counts at each attempt.
  url text,
  created_at bigint NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts integer NOT NULL,
  -- How many of the attempts were made before it was last sent again by hand.
  round_start integer NOT NULL,
  due_at bigint,
  -- Real time; set while somebody sends it.
  leased_until bigint,
  tried_at bigint,
  last_status integer,
  last_error text,
  PRIMARY KEY (account, live, id)
) WITH (fillfactor = 80);

CREATE INDEX delivery_ordering ON delivery (account, live, receiver, subject, sequence) WHERE state = 'pending';
CREATE INDEX delivery_due ON delivery (account, live, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX delivery_receiver_due ON delivery (account, live, receiver, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX delivery_leased ON delivery (account, live, receiver) WHERE leased_until IS NOT NULL;
CREATE INDEX delivery_receiver ON delivery (account, live, receiver, id);
CREATE INDEX delivery_event ON delivery (account, live, event);
CREATE INDEX delivery_pending ON delivery (account, live, id) WHERE state = 'pending';
CREATE INDEX delivery_failed ON delivery (account, live, id) WHERE state = 'failed';

-- What came of each attempt. answer is the beginning of what the receiver said.
CREATE TABLE delivery_attempt (
  account bigint NOT NULL,
  live boolean NOT NULL,
  delivery text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  at bigint NOT NULL,
  duration_ms integer NOT NULL,
  status integer,
  error text,
  answer text NOT NULL,
  PRIMARY KEY (account, live, delivery, number)
);

-- Events up to this position are no longer kept; no row where all are.
CREATE TABLE feed_start (
  account bigint NOT NULL,
  live boolean NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (account, live)
);

-- Which session a refund belongs to. The refund itself is part of the session.
CREATE TABLE refund (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  checkout text COLLATE "C" NOT NULL,
  rail text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('pending', 'succeeded', 'failed')),
  -- The file that it went out in, whatever became of it.
  payment_file text COLLATE "C",
  PRIMARY KEY (account, live, id)
);

CREATE INDEX refund_checkout ON refund (account, live, checkout, id);
CREATE INDEX refund_rail ON refund (account, live, rail, id);
CREATE INDEX refund_pending ON refund (account, live, id) WHERE state = 'pending';
CREATE INDEX refund_pending_rail ON refund (account, live, rail, id) WHERE state = 'pending';

-- Money that came, went back or was taken back, by time: what lists and totals are made of. It follows from the sessions.
CREATE TABLE movement (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL CHECK (type IN ('payment', 'refund', 'reversal')),
  created_at bigint NOT NULL,
  checkout text COLLATE "C" NOT NULL,
  rail text COLLATE "C" NOT NULL,
  reference text COLLATE "C" NOT NULL,
  currency text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  late boolean NOT NULL,
  time_to_pay_ms bigint CHECK (time_to_pay_ms >= 0),
  fee bigint CHECK (fee >= 0),
  fee_currency text COLLATE "C",
  PRIMARY KEY (account, live, id),
  CHECK ((fee IS NULL) = (fee_currency IS NULL))
);

-- With what totals are made of, so that they look at nothing else.
CREATE INDEX movement_total ON movement (account, live, currency, rail, id, amount, time_to_pay_ms);
-- For lists, and the newest times to pay.
CREATE INDEX movement_currency ON movement (account, live, currency, id, time_to_pay_ms);
-- Few; payments are found in the order of all.
CREATE INDEX movement_back ON movement (account, live, type, id, currency, rail, amount) WHERE type <> 'payment';
CREATE INDEX movement_late ON movement (account, live, id, currency, rail, amount) WHERE late;
-- Payments of which a fee is known, by its currency.
CREATE INDEX movement_fee ON movement (account, live, fee_currency, currency, rail, id, fee)
  WHERE fee_currency IS NOT NULL;
CREATE INDEX movement_checkout ON movement (account, live, checkout, id);
CREATE INDEX movement_reference ON movement (account, live, reference, id);
CREATE INDEX movement_rail ON movement (account, live, rail, id);

-- Attempts that wait for a transfer, by what they wait for; made from the sessions.
CREATE TABLE awaited (
  account bigint NOT NULL,
  live boolean NOT NULL,
  currency text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  attempt text COLLATE "C" NOT NULL,
  checkout text COLLATE "C" NOT NULL,
  PRIMARY KEY (account, live, currency, amount, attempt)
);

-- What providers have sent by themselves, as it came; body is that of the request.
CREATE TABLE provider_event (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  rail text COLLATE "C" NOT NULL,
  reference text COLLATE "C" NOT NULL,
  received_at bigint NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('waiting', 'open', 'done')),
  due_at bigint,
  tries integer NOT NULL,
  reason text COLLATE "C" CHECK (
    reason IN ('no_session', 'no_answer', 'key_refused', 'request_refused', 'answer_unclear')
  ),
  attempt_reference text COLLATE "C",
  payment_reference text COLLATE "C",
  body text NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  PRIMARY KEY (account, live, id)
);

CREATE UNIQUE INDEX provider_event_reference ON provider_event (account, live, rail, reference);
CREATE INDEX provider_event_due ON provider_event (account, live, due_at) WHERE due_at IS NOT NULL;
-- What a person has to look at, to be counted.
CREATE INDEX provider_event_open ON provider_event (account, live, id) WHERE state = 'open';

-- Bookings of statements, each once, with what became of them.
CREATE TABLE bank_entry (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  reference text COLLATE "C" NOT NULL,
  received_at bigint NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('waiting', 'open', 'done', 'ignored')),
  due_at bigint,
  tries integer NOT NULL,
  data text NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  PRIMARY KEY (account, live, id)
);

CREATE UNIQUE INDEX bank_entry_reference ON bank_entry (account, live, reference);
CREATE INDEX bank_entry_state ON bank_entry (account, live, state, id);
CREATE INDEX bank_entry_due ON bank_entry (account, live, due_at) WHERE due_at IS NOT NULL;
-- What a person has to decide about, to be counted.
CREATE INDEX bank_entry_open ON bank_entry (account, live) WHERE state = 'open';

-- Statements that were read, and files of payments that were made for a bank; only of these the content is kept.
CREATE TABLE bank_file (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('statement', 'ingesting', 'payments')),
  created_at bigint NOT NULL,
  hash text COLLATE "C" NOT NULL,
  data text NOT NULL,
  content text NOT NULL,
  PRIMARY KEY (account, live, id)
);

CREATE UNIQUE INDEX bank_file_hash ON bank_file (account, live, kind, hash);
CREATE INDEX bank_file_kind ON bank_file (account, live, kind, id);
