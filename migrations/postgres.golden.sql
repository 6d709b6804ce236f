-- The schema after all migrations, to be compared. After a new migration:
-- OPENTILL_WRITE_GOLDEN=1 node --test test/store/postgres-only.test.ts

CREATE TABLE account (
  number bigint NOT NULL,
  name text NOT NULL,
  created_at bigint NOT NULL,
  webhook_secret_test text NOT NULL,
  webhook_secret_live text NOT NULL,
  test_clock_offset_ms bigint NOT NULL DEFAULT 0,
  previous_webhook_secret_test text,
  previous_webhook_secret_test_until bigint,
  previous_webhook_secret_live text,
  previous_webhook_secret_live_until bigint,
  settings_test text,
  settings_live text,
  rail_credentials_test text,
  rail_credentials_live text,
  logo_test text,
  logo_live text,
  changed_in bigint NOT NULL DEFAULT 0,
  CONSTRAINT account_pkey PRIMARY KEY (number)
);
CREATE INDEX account_changed ON account USING btree (changed_in);
CREATE UNIQUE INDEX account_pkey ON account USING btree (number);

CREATE TABLE api_key (
  id text COLLATE "C" NOT NULL,
  account bigint NOT NULL,
  live boolean NOT NULL,
  secret_hash text COLLATE "C" NOT NULL,
  permissions text NOT NULL,
  name text NOT NULL,
  created_at bigint NOT NULL,
  revoked_at bigint,
  CONSTRAINT api_key_pkey PRIMARY KEY (id),
  CONSTRAINT api_key_secret_hash_key UNIQUE (secret_hash)
);
CREATE INDEX api_key_created ON api_key USING btree (account, live, created_at, id);
CREATE UNIQUE INDEX api_key_pkey ON api_key USING btree (id);
CREATE UNIQUE INDEX api_key_secret_hash_key ON api_key USING btree (secret_hash);

CREATE TABLE audit (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  at bigint NOT NULL,
  actor text NOT NULL,
  action text COLLATE "C" NOT NULL,
  request_id text NOT NULL,
  CONSTRAINT audit_pkey PRIMARY KEY (account, live, id)
);
CREATE UNIQUE INDEX audit_pkey ON audit USING btree (account, live, id);

CREATE TABLE awaited (
  account bigint NOT NULL,
  live boolean NOT NULL,
  currency text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  attempt text COLLATE "C" NOT NULL,
  checkout text COLLATE "C" NOT NULL,
  CONSTRAINT awaited_pkey PRIMARY KEY (account, live, currency, amount, attempt)
);
CREATE UNIQUE INDEX awaited_pkey ON awaited USING btree (account, live, currency, amount, attempt);

CREATE TABLE bank_entry (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  reference text COLLATE "C" NOT NULL,
  received_at bigint NOT NULL,
  state text COLLATE "C" NOT NULL,
  due_at bigint,
  tries integer NOT NULL,
  data text NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT bank_entry_pkey PRIMARY KEY (account, live, id),
  CONSTRAINT bank_entry_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'open'::text, 'done'::text, 'ignored'::text])))
);
CREATE INDEX bank_entry_due ON bank_entry USING btree (account, live, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX bank_entry_open ON bank_entry USING btree (account, live) WHERE (state = 'open'::text);
CREATE UNIQUE INDEX bank_entry_pkey ON bank_entry USING btree (account, live, id);
CREATE UNIQUE INDEX bank_entry_reference ON bank_entry USING btree (account, live, reference);
CREATE INDEX bank_entry_state ON bank_entry USING btree (account, live, state, id);

CREATE TABLE bank_file (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  hash text COLLATE "C" NOT NULL,
  data text NOT NULL,
  content text NOT NULL,
  CONSTRAINT bank_file_kind_check CHECK ((kind = ANY (ARRAY['statement'::text, 'ingesting'::text, 'payments'::text]))),
  CONSTRAINT bank_file_pkey PRIMARY KEY (account, live, id)
);
CREATE UNIQUE INDEX bank_file_hash ON bank_file USING btree (account, live, kind, hash);
CREATE INDEX bank_file_kind ON bank_file USING btree (account, live, kind, id);
CREATE UNIQUE INDEX bank_file_pkey ON bank_file USING btree (account, live, id);

CREATE TABLE checkout (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  event_count integer NOT NULL,
  status text COLLATE "C" NOT NULL,
  payment_status text COLLATE "C" NOT NULL,
  invoice_currency text COLLATE "C" NOT NULL,
  amount_paid bigint NOT NULL,
  partially_paid boolean NOT NULL,
  paid_in_excess boolean NOT NULL,
  reference_id text COLLATE "C" NOT NULL,
  customer text COLLATE "C",
  email text COLLATE "C",
  data text NOT NULL,
  created_block text COLLATE "C" NOT NULL DEFAULT "left"(id, 10),
  CONSTRAINT checkout_pkey PRIMARY KEY (account, live, id)
) WITH (fillfactor=70,autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX checkout_class ON checkout USING btree (account, live, invoice_currency, status, payment_status, partially_paid, paid_in_excess, id);
CREATE INDEX checkout_count ON checkout USING btree (account, live, invoice_currency, status, partially_paid, paid_in_excess, created_block);
CREATE INDEX checkout_customer ON checkout USING btree (account, live, customer, id) WHERE (customer IS NOT NULL);
CREATE INDEX checkout_email ON checkout USING btree (account, live, email, id) WHERE (email IS NOT NULL);
CREATE UNIQUE INDEX checkout_pkey ON checkout USING btree (account, live, id);
CREATE INDEX checkout_reference ON checkout USING btree (account, live, reference_id, id);

CREATE TABLE checkout_metadata (
  account bigint NOT NULL,
  live boolean NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  checkout text COLLATE "C" NOT NULL,
  CONSTRAINT checkout_metadata_pkey PRIMARY KEY (account, live, name, value, checkout)
);
CREATE UNIQUE INDEX checkout_metadata_pkey ON checkout_metadata USING btree (account, live, name, value, checkout);

CREATE TABLE checkout_overview (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  description text COLLATE "C",
  currency text COLLATE "C" NOT NULL,
  amount_open bigint NOT NULL,
  amount_excess bigint NOT NULL,
  CONSTRAINT checkout_overview_amount_excess_check CHECK ((amount_excess >= 0)),
  CONSTRAINT checkout_overview_amount_open_check CHECK ((amount_open >= 0)),
  CONSTRAINT checkout_overview_pkey PRIMARY KEY (account, live, id) INCLUDE (amount)
) WITH (fillfactor=80,autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX checkout_overview_description ON checkout_overview USING btree (account, live, description, id) WHERE (description IS NOT NULL);
CREATE INDEX checkout_overview_draft ON checkout_overview USING btree (account, live, id) WHERE (amount = 0);
CREATE UNIQUE INDEX checkout_overview_pkey ON checkout_overview USING btree (account, live, id) INCLUDE (amount);

CREATE TABLE clock_move (
  account bigint NOT NULL,
  live boolean NOT NULL,
  at bigint NOT NULL,
  offset_ms bigint NOT NULL,
  CONSTRAINT clock_move_pkey PRIMARY KEY (account, live, at)
);
CREATE UNIQUE INDEX clock_move_pkey ON clock_move USING btree (account, live, at);

CREATE TABLE customer (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  email text COLLATE "C",
  data text NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT customer_pkey PRIMARY KEY (account, live, id)
);
CREATE UNIQUE INDEX customer_email ON customer USING btree (account, live, email) WHERE (email IS NOT NULL);
CREATE UNIQUE INDEX customer_pkey ON customer USING btree (account, live, id);

CREATE TABLE dashboard_user (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  email text COLLATE "C",
  identity text COLLATE "C",
  accounts text NOT NULL,
  data text NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT dashboard_user_pkey PRIMARY KEY (account, live, id)
);
CREATE UNIQUE INDEX dashboard_user_email ON dashboard_user USING btree (account, live, email) WHERE (email IS NOT NULL);
CREATE UNIQUE INDEX dashboard_user_identity ON dashboard_user USING btree (account, live, identity) WHERE (identity IS NOT NULL);
CREATE UNIQUE INDEX dashboard_user_pkey ON dashboard_user USING btree (account, live, id);

CREATE TABLE delivery (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  event text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  sequence integer NOT NULL,
  receiver text COLLATE "C" NOT NULL,
  url text,
  created_at bigint NOT NULL,
  state text COLLATE "C" NOT NULL,
  attempts integer NOT NULL,
  round_start integer NOT NULL,
  due_at bigint,
  leased_until bigint,
  tried_at bigint,
  last_status integer,
  last_error text,
  CONSTRAINT delivery_pkey PRIMARY KEY (account, live, id),
  CONSTRAINT delivery_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
) WITH (fillfactor=80);
CREATE INDEX delivery_due ON delivery USING btree (account, live, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX delivery_event ON delivery USING btree (account, live, event);
CREATE INDEX delivery_failed ON delivery USING btree (account, live, id) WHERE (state = 'failed'::text);
CREATE INDEX delivery_leased ON delivery USING btree (account, live, receiver) WHERE (leased_until IS NOT NULL);
CREATE INDEX delivery_ordering ON delivery USING btree (account, live, receiver, subject, sequence) WHERE (state = 'pending'::text);
CREATE INDEX delivery_pending ON delivery USING btree (account, live, id) WHERE (state = 'pending'::text);
CREATE UNIQUE INDEX delivery_pkey ON delivery USING btree (account, live, id);
CREATE INDEX delivery_receiver ON delivery USING btree (account, live, receiver, id);
CREATE INDEX delivery_receiver_due ON delivery USING btree (account, live, receiver, due_at) WHERE (due_at IS NOT NULL);

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
  CONSTRAINT delivery_attempt_pkey PRIMARY KEY (account, live, delivery, number)
);
CREATE UNIQUE INDEX delivery_attempt_pkey ON delivery_attempt USING btree (account, live, delivery, number);

CREATE TABLE delivery_claim (
  account bigint NOT NULL,
  live boolean NOT NULL,
  CONSTRAINT delivery_claim_pkey PRIMARY KEY (account, live)
);
CREATE UNIQUE INDEX delivery_claim_pkey ON delivery_claim USING btree (account, live);

CREATE TABLE directory (
  id integer NOT NULL,
  version bigint NOT NULL,
  checked_at bigint NOT NULL,
  CONSTRAINT directory_id_check CHECK ((id = 1)),
  CONSTRAINT directory_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX directory_pkey ON directory USING btree (id);

CREATE TABLE event (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  sequence integer NOT NULL,
  created_at bigint NOT NULL,
  cause text COLLATE "C",
  body text NOT NULL,
  CONSTRAINT event_pkey PRIMARY KEY (account, live, id)
);
CREATE UNIQUE INDEX event_pkey ON event USING btree (account, live, id);
CREATE UNIQUE INDEX event_sequence ON event USING btree (account, live, subject, sequence);

CREATE TABLE feed (
  account bigint NOT NULL,
  live boolean NOT NULL,
  position bigint NOT NULL,
  event text COLLATE "C" NOT NULL,
  CONSTRAINT feed_pkey PRIMARY KEY (account, live, "position")
);
CREATE UNIQUE INDEX feed_pkey ON feed USING btree (account, live, "position");

CREATE TABLE feed_end (
  account bigint NOT NULL,
  live boolean NOT NULL,
  position bigint NOT NULL,
  CONSTRAINT feed_end_pkey PRIMARY KEY (account, live)
);
CREATE UNIQUE INDEX feed_end_pkey ON feed_end USING btree (account, live);

CREATE TABLE feed_start (
  account bigint NOT NULL,
  live boolean NOT NULL,
  position bigint NOT NULL,
  CONSTRAINT feed_start_pkey PRIMARY KEY (account, live)
);
CREATE UNIQUE INDEX feed_start_pkey ON feed_start USING btree (account, live);

CREATE TABLE feed_waiting (
  account bigint NOT NULL,
  live boolean NOT NULL,
  subject text COLLATE "C" NOT NULL,
  sequence integer NOT NULL,
  event text COLLATE "C" NOT NULL,
  CONSTRAINT feed_waiting_pkey PRIMARY KEY (account, live, subject, sequence)
);
CREATE UNIQUE INDEX feed_waiting_pkey ON feed_waiting USING btree (account, live, subject, sequence);

CREATE TABLE idempotency (
  account bigint NOT NULL,
  live boolean NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  operation text COLLATE "C" NOT NULL,
  request_hash text COLLATE "C" NOT NULL,
  status_code integer NOT NULL,
  headers text NOT NULL,
  body text NOT NULL,
  event text COLLATE "C",
  created_at bigint NOT NULL,
  CONSTRAINT idempotency_pkey PRIMARY KEY (account, live, idempotency_key, operation)
);
CREATE INDEX idempotency_age ON idempotency USING btree (account, live, created_at);
CREATE UNIQUE INDEX idempotency_pkey ON idempotency USING btree (account, live, idempotency_key, operation);

CREATE TABLE installation_secret (
  account bigint NOT NULL,
  live boolean NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL,
  CONSTRAINT installation_secret_pkey PRIMARY KEY (account, live, name)
);
CREATE UNIQUE INDEX installation_secret_pkey ON installation_secret USING btree (account, live, name);

CREATE TABLE logo (
  account bigint NOT NULL,
  live boolean NOT NULL,
  name text NOT NULL,
  content text NOT NULL,
  CONSTRAINT logo_pkey PRIMARY KEY (account, live)
);
CREATE UNIQUE INDEX logo_pkey ON logo USING btree (account, live);

CREATE TABLE movement (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  checkout text COLLATE "C" NOT NULL,
  rail text COLLATE "C" NOT NULL,
  reference text COLLATE "C" NOT NULL,
  currency text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  late boolean NOT NULL,
  time_to_pay_ms bigint,
  fee bigint,
  fee_currency text COLLATE "C",
  CONSTRAINT movement_amount_check CHECK ((amount >= 0)),
  CONSTRAINT movement_check CHECK (((fee IS NULL) = (fee_currency IS NULL))),
  CONSTRAINT movement_fee_check CHECK ((fee >= 0)),
  CONSTRAINT movement_pkey PRIMARY KEY (account, live, id),
  CONSTRAINT movement_time_to_pay_ms_check CHECK ((time_to_pay_ms >= 0)),
  CONSTRAINT movement_type_check CHECK ((type = ANY (ARRAY['payment'::text, 'refund'::text, 'reversal'::text])))
);
CREATE INDEX movement_back ON movement USING btree (account, live, type, id, currency, rail, amount) WHERE (type <> 'payment'::text);
CREATE INDEX movement_checkout ON movement USING btree (account, live, checkout, id);
CREATE INDEX movement_currency ON movement USING btree (account, live, currency, id, time_to_pay_ms);
CREATE INDEX movement_fee ON movement USING btree (account, live, fee_currency, currency, rail, id, fee) WHERE (fee_currency IS NOT NULL);
CREATE INDEX movement_late ON movement USING btree (account, live, id, currency, rail, amount) WHERE late;
CREATE UNIQUE INDEX movement_pkey ON movement USING btree (account, live, id);
CREATE INDEX movement_rail ON movement USING btree (account, live, rail, id);
CREATE INDEX movement_reference ON movement USING btree (account, live, reference, id);
CREATE INDEX movement_total ON movement USING btree (account, live, currency, rail, id, amount, time_to_pay_ms);

CREATE TABLE payment (
  account bigint NOT NULL,
  live boolean NOT NULL,
  rail text COLLATE "C" NOT NULL,
  reference text COLLATE "C" NOT NULL,
  checkout text COLLATE "C" NOT NULL,
  line integer NOT NULL,
  attempt text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  currency text COLLATE "C" NOT NULL,
  booked_at bigint NOT NULL,
  late boolean NOT NULL,
  CONSTRAINT payment_amount_check CHECK ((amount > 0)),
  CONSTRAINT payment_pkey PRIMARY KEY (account, live, rail, reference)
);
CREATE UNIQUE INDEX payment_checkout ON payment USING btree (account, live, checkout, line);
CREATE UNIQUE INDEX payment_pkey ON payment USING btree (account, live, rail, reference);

CREATE TABLE payment_attempt (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  rail text COLLATE "C" NOT NULL,
  reference text COLLATE "C" NOT NULL,
  checkout text COLLATE "C" NOT NULL,
  CONSTRAINT payment_attempt_pkey PRIMARY KEY (account, live, id)
);
CREATE UNIQUE INDEX payment_attempt_pkey ON payment_attempt USING btree (account, live, id);
CREATE UNIQUE INDEX payment_attempt_reference ON payment_attempt USING btree (account, live, rail, reference);

CREATE TABLE provider_event (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  rail text COLLATE "C" NOT NULL,
  reference text COLLATE "C" NOT NULL,
  received_at bigint NOT NULL,
  state text COLLATE "C" NOT NULL,
  due_at bigint,
  tries integer NOT NULL,
  reason text COLLATE "C",
  attempt_reference text COLLATE "C",
  payment_reference text COLLATE "C",
  body text NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT provider_event_pkey PRIMARY KEY (account, live, id),
  CONSTRAINT provider_event_reason_check CHECK ((reason = ANY (ARRAY['no_session'::text, 'no_answer'::text, 'key_refused'::text, 'request_refused'::text, 'answer_unclear'::text]))),
  CONSTRAINT provider_event_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'open'::text, 'done'::text])))
);
CREATE INDEX provider_event_due ON provider_event USING btree (account, live, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX provider_event_open ON provider_event USING btree (account, live, id) WHERE (state = 'open'::text);
CREATE UNIQUE INDEX provider_event_pkey ON provider_event USING btree (account, live, id);
CREATE UNIQUE INDEX provider_event_reference ON provider_event USING btree (account, live, rail, reference);

CREATE TABLE refund (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  checkout text COLLATE "C" NOT NULL,
  rail text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  payment_file text COLLATE "C",
  CONSTRAINT refund_pkey PRIMARY KEY (account, live, id),
  CONSTRAINT refund_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text])))
);
CREATE INDEX refund_checkout ON refund USING btree (account, live, checkout, id);
CREATE INDEX refund_pending ON refund USING btree (account, live, id) WHERE (state = 'pending'::text);
CREATE INDEX refund_pending_rail ON refund USING btree (account, live, rail, id) WHERE (state = 'pending'::text);
CREATE UNIQUE INDEX refund_pkey ON refund USING btree (account, live, id);
CREATE INDEX refund_rail ON refund USING btree (account, live, rail, id);

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
  errors text NOT NULL,
  duration_ms integer NOT NULL,
  idempotency text COLLATE "C" NOT NULL,
  left_out integer NOT NULL,
  CONSTRAINT request_log_idempotency_check CHECK ((idempotency = ANY (ARRAY['none'::text, 'key'::text, 'replayed'::text]))),
  CONSTRAINT request_log_pkey PRIMARY KEY (account, live, id)
);
CREATE UNIQUE INDEX request_log_pkey ON request_log USING btree (account, live, id);

CREATE TABLE schema_version (
  id integer NOT NULL,
  version integer NOT NULL,
  serves_from integer NOT NULL,
  serves_to integer NOT NULL,
  CONSTRAINT schema_version_id_check CHECK ((id = 1)),
  CONSTRAINT schema_version_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX schema_version_pkey ON schema_version USING btree (id);

CREATE TABLE timer (
  account bigint NOT NULL,
  live boolean NOT NULL,
  checkout text COLLATE "C" NOT NULL,
  due_at bigint NOT NULL,
  leased_until bigint,
  CONSTRAINT timer_pkey PRIMARY KEY (account, live, checkout)
) WITH (fillfactor=80);
CREATE INDEX timer_due ON timer USING btree (account, live, due_at);
CREATE UNIQUE INDEX timer_pkey ON timer USING btree (account, live, checkout);

CREATE TABLE webhook_endpoint (
  account bigint NOT NULL,
  live boolean NOT NULL,
  id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  event_count integer NOT NULL,
  slot integer NOT NULL,
  data text NOT NULL,
  CONSTRAINT webhook_endpoint_pkey PRIMARY KEY (account, live, id),
  CONSTRAINT webhook_endpoint_slot_check CHECK (((slot >= 1) AND (slot <= 100)))
);
CREATE UNIQUE INDEX webhook_endpoint_pkey ON webhook_endpoint USING btree (account, live, id);
CREATE UNIQUE INDEX webhook_endpoint_slot ON webhook_endpoint USING btree (account, live, slot);

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
  CONSTRAINT webhook_receiver_pkey PRIMARY KEY (account, live, id)
) WITH (fillfactor=80);
CREATE UNIQUE INDEX webhook_receiver_pkey ON webhook_receiver USING btree (account, live, id);
