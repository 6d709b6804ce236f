-- Endpoints with secrets of their own, deliveries in lanes, what came of each attempt, receivers that fail, and events
-- that are not kept for ever. Times are milliseconds since the epoch.

-- What an event is about: a session, or an endpoint.
ALTER TABLE event RENAME COLUMN checkout TO subject;

-- The secret before the current one, and until when it signs as well.
ALTER TABLE account ADD COLUMN previous_webhook_secret_test TEXT;
ALTER TABLE account ADD COLUMN previous_webhook_secret_test_until INTEGER;
ALTER TABLE account ADD COLUMN previous_webhook_secret_live TEXT;
ALTER TABLE account ADD COLUMN previous_webhook_secret_live_until INTEGER;

-- An address that a merchant has registered. All but what counts its changes is in data.
CREATE TABLE webhook_endpoint (
  account INTEGER NOT NULL,
  live INTEGER NOT NULL,
  id TEXT NOT NULL,
  version INTEGER NOT NULL,
  event_count INTEGER NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (account, live, id)
) STRICT;

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

ALTER TABLE delivery RENAME TO old_delivery;
DROP INDEX delivery_due;

-- One event on its way to one receiver. Those of one subject to one receiver are a lane, in the order of sequence: of
-- the pending ones only the first has a due_at, and the others wait behind it.
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

INSERT INTO delivery
  SELECT old.account, old.live, old.id, old.event, old.checkout, event.sequence,
    lower(substr(url, 1, instr(url, '://') + 1 + instr(
      replace(replace(substr(url, instr(url, '://') + 3), '?', '/'), '#', '/') || '/', '/'))),
    url, event.created_at, state, attempts, 0, due_at, NULL, last_status, last_error
  FROM old_delivery AS old
  JOIN event ON event.account = old.account AND event.live = old.live AND event.id = old.event;
DROP TABLE old_delivery;

CREATE INDEX delivery_lane ON delivery (account, live, receiver, subject, sequence) WHERE state = 'pending';
UPDATE delivery SET due_at = NULL
WHERE state = 'pending' AND EXISTS (
  SELECT 1 FROM delivery AS earlier
  WHERE earlier.account = delivery.account AND earlier.live = delivery.live AND earlier.receiver = delivery.receiver
    AND earlier.subject = delivery.subject AND earlier.sequence < delivery.sequence AND earlier.state = 'pending'
);
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
