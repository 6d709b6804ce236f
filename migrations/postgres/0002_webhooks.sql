-- Endpoints with secrets of their own, deliveries in lanes, what came of each attempt, receivers that fail, and events
-- that are not kept for ever. Times are milliseconds since the epoch. No version that was released has the schema
-- before, so that nobody serves while this renames columns and fills new ones.

-- What an event is about: a session, or an endpoint.
-- squawk-ignore renaming-column
ALTER TABLE event RENAME COLUMN checkout TO subject;
-- squawk-ignore renaming-column
ALTER TABLE feed_waiting RENAME COLUMN checkout TO subject;

-- The secret before the current one, and until when it signs as well.
ALTER TABLE account
  ADD COLUMN previous_webhook_secret_test text,
  ADD COLUMN previous_webhook_secret_test_until bigint,
  ADD COLUMN previous_webhook_secret_live text,
  ADD COLUMN previous_webhook_secret_live_until bigint;

-- An address that a merchant has registered. All but what counts its changes is in data.
CREATE TABLE webhook_endpoint (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  event_count integer NOT NULL,
  data text NOT NULL,
  PRIMARY KEY (account, live, id)
);

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
  PRIMARY KEY (account, live, id)
) WITH (fillfactor = 80);

-- squawk-ignore require-concurrent-index-deletion
DROP INDEX delivery_due;
-- squawk-ignore require-concurrent-index-deletion
DROP INDEX delivery_leased;
-- squawk-ignore renaming-table
ALTER TABLE delivery RENAME TO old_delivery;
ALTER TABLE old_delivery RENAME CONSTRAINT delivery_pkey TO old_delivery_pkey;

-- One event on its way to one receiver. Those of one subject to one receiver are a lane, in the order of sequence: of
-- the pending ones only the first has a due_at, and the others wait behind it.
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

INSERT INTO delivery
  SELECT old.account, old.live, old.id, old.event, event.subject, event.sequence,
    lower(substring(url from '^[A-Za-z]+://[^/?#]*')), url, event.created_at, state, attempts, 0, due_at, NULL, NULL,
    last_status, last_error
  FROM old_delivery AS old
  JOIN event ON event.account = old.account AND event.live = old.live AND event.id = old.event;
-- squawk-ignore ban-drop-table
DROP TABLE old_delivery;

CREATE INDEX delivery_lane ON delivery (account, live, receiver, subject, sequence) WHERE state = 'pending';
UPDATE delivery SET due_at = NULL
WHERE state = 'pending' AND EXISTS (
  SELECT 1 FROM delivery AS earlier
  WHERE earlier.account = delivery.account AND earlier.live = delivery.live AND earlier.receiver = delivery.receiver
    AND earlier.subject = delivery.subject AND earlier.sequence < delivery.sequence AND earlier.state = 'pending'
);
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
