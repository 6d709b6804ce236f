-- What accounts configure, refunds, transfers that are waited for, notices of rails, and files of banks.

-- JSON, or null for the defaults.
ALTER TABLE account ADD COLUMN settings_test TEXT;
ALTER TABLE account ADD COLUMN settings_live TEXT;

-- Which session a refund belongs to. The refund itself is part of the session.
CREATE TABLE refund (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  id TEXT NOT NULL,
  checkout TEXT NOT NULL,
  rail TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'succeeded', 'failed')),
  PRIMARY KEY (account, live, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX refund_checkout ON refund (account, live, checkout, id);
CREATE INDEX refund_rail ON refund (account, live, rail, id);
CREATE INDEX refund_pending ON refund (account, live, id) WHERE state = 'pending';
CREATE INDEX refund_pending_rail ON refund (account, live, rail, id) WHERE state = 'pending';

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

-- What rails have said without being asked, as it came.
CREATE TABLE notice (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  id TEXT NOT NULL,
  rail TEXT NOT NULL,
  reference TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'open', 'done', 'ignored')),
  due_at INTEGER,
  tries INTEGER NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (account, live, id)
) STRICT;

CREATE UNIQUE INDEX notice_reference ON notice (account, live, rail, reference);
CREATE INDEX notice_rail ON notice (account, live, rail, id);
CREATE INDEX notice_state ON notice (account, live, rail, state, id);
-- What a person has to decide about, to be counted.
CREATE INDEX notice_open ON notice (account, live) WHERE state = 'open';
CREATE INDEX notice_due ON notice (account, live, due_at) WHERE due_at IS NOT NULL;

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
  PRIMARY KEY (account, live, id)
) STRICT;

CREATE UNIQUE INDEX bank_file_hash ON bank_file (account, live, kind, hash);
CREATE INDEX bank_file_kind ON bank_file (account, live, kind, id);
