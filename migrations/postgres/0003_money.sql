-- What accounts configure, refunds, transfers that are waited for, notices of rails, and files of banks. Times are
-- milliseconds since the epoch.

-- JSON, or null for the defaults.
ALTER TABLE account
  ADD COLUMN settings_test text,
  ADD COLUMN settings_live text;

-- Which session a refund belongs to. The refund itself is part of the session.
CREATE TABLE refund (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  checkout text COLLATE "C" NOT NULL,
  rail text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('pending', 'succeeded', 'failed')),
  PRIMARY KEY (account, live, id)
);

CREATE INDEX refund_checkout ON refund (account, live, checkout, id);
CREATE INDEX refund_rail ON refund (account, live, rail, id);
CREATE INDEX refund_pending ON refund (account, live, id) WHERE state = 'pending';
CREATE INDEX refund_pending_rail ON refund (account, live, rail, id) WHERE state = 'pending';

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

-- What rails have said without being asked, as it came.
CREATE TABLE notice (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  rail text COLLATE "C" NOT NULL,
  reference text COLLATE "C" NOT NULL,
  received_at bigint NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('waiting', 'open', 'done', 'ignored')),
  due_at bigint,
  tries integer NOT NULL,
  data text NOT NULL,
  PRIMARY KEY (account, live, id)
);

CREATE UNIQUE INDEX notice_reference ON notice (account, live, rail, reference);
CREATE INDEX notice_rail ON notice (account, live, rail, id);
CREATE INDEX notice_state ON notice (account, live, rail, state, id);
-- What a person has to decide about, to be counted.
CREATE INDEX notice_open ON notice (account, live) WHERE state = 'open';
CREATE INDEX notice_due ON notice (account, live, due_at) WHERE due_at IS NOT NULL;

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
