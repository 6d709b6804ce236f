/** Damages for each rule of `db check`: statements on a database that `healthy.ts` has filled. */

type Damage = readonly [rule: string, sql: string];

const one = (table: string, where = '1 = 1', id = 'id') =>
  `${id} = (SELECT min(${id}) FROM ${table} WHERE ${where})`;
const paid = one('checkout', 'amount_paid > 0');
const event = one('event');
const OWED = 'what a session is owed, and was paid beyond its amount, is what it says itself';
const FILED = 'a payment file has the refunds that went out in it, and no others';
const COLUMNS = 'the columns of a session say what it says itself';
const BACK = 'no more goes back than was paid';
const BANK_FILE =
  'a file that was made for a bank is what it was, and of one that was read only the hash is kept';
const CAUSED = 'what an event says has caused it is there';
const BOOKED = 'every transfer that is booked has its bank entry';
const CONFIGURED = 'what every account has configured can be read';
const CUSTOMER = 'the customer of a session exists, or was erased and has left nothing in it';
const ADDRESS = 'what goes to an address for a session goes to one that it or a refund names';
const ATTEMPTS = 'the attempts that a delivery counts are in its log, and no others';
const DESTINATION =
  'every delivery goes to the address of a session, or to an endpoint that is there or was deleted';
const DUE = 'a session is due when it says so';
const EXPECTED = 'the transfers that are waited for are those of the session';
const EVENTS = 'a session has the events that it counts, numbered without a gap';
const SETTLED = 'the bank entries that a refund names are there, and concern it';
const FEES = 'the fees of a session are of its payments, at most one of each';
const FAILS = 'a receiver is noted because it fails';
const ORDERING_KEYS = 'of each ordering key the first delivery that is pending is due, and no other';
const LEDGER = 'a bank entry has booked what the ledger says';
const LOGO = 'every logo is the image that its name tells of';
const LOGO_NAMED = 'every logo is named by its account';
const LOGO_THERE = 'the logo that an account names is there';
const LOG_OF_ENDPOINTS = 'the log of changes tells of no endpoint and no version of one that does not exist';
const ENTRY_TIME = 'a bank entry has a due time as long as it waits to be matched';
const EVENT_TIME = 'a provider event has a due time as long as it waits';
const EVENT_REASON = 'a provider event says why it waits once it was looked at';
const OF_ATTEMPT = 'refunds and reversals belong to attempts of their session';
const OF_EVENT = 'every delivery is of an event, and has its subject, its number and its time';
const OWNER = 'every event belongs to a session, or to an endpoint that is there or was deleted';
const MOVEMENTS = 'the movements of money that are found are those of the session';
const REFUNDS = 'the refunds that are found are those of the session';
const SAYS = 'every event of the last day has a delivery to where its session says';
const LEFT = 'a delivery is where its last attempt has left it';
const TRIED = 'what has arrived was tried, and nothing was sent again after more attempts than it has had';
const VERSIONS = 'events tell of every version of a session';
const SHOWN = 'the newest events of a session show it as it is';
const USER = 'the columns of a user say what the record says';
const USERS = 'users are of the installation';
const TELLS = 'an event says of a refund what its session says';
const EVENT = 'every event can be read';
const ENVELOPE = 'the body of every event says what its row says';
const ANSWERS = 'every stored answer can be sent again';
const KEYS = 'every API key can be used';
const EXACT = 'every number can be counted with exactly';
const AMOUNTS = 'the amounts of a session are whole numbers that can be counted with exactly';
const SUM = 'what is paid is the sum of the ledger';
const ERASED = 'no event tells of somebody who was erased';
/** The first number that has a neighbour from which JavaScript cannot tell it. */
const BEYOND = '9007199254740993';
const ofEndpoint = (column: string) => `${column} LIKE 'whe#_%' ESCAPE '#'`;
const named = one('delivery', 'url IS NOT NULL');
const arrived = one('delivery', `state = 'delivered'`);
const nobody = '"name":"","email":""';
const somebody = '"name":"Grace","email":""';

/** Another row that differs in its id alone. */
const copied = (table: string, where: string) => `
  CREATE TEMPORARY TABLE copied AS SELECT * FROM ${table} WHERE ${where};
  UPDATE copied SET id = 'copy_of_' || id; INSERT INTO ${table} SELECT * FROM copied`;

const inSession = (text: string, other: string) =>
  `UPDATE checkout SET data = replace(data, '${text}', '${other}')`;
const inEvent = (text: string, other: string) =>
  `UPDATE event SET body = replace(body, '${text}', '${other}')`;

/** The same for every database, once nothing keeps anybody from it. */
const common: readonly Damage[] = [
  [
    'everything belongs to an account that exists',
    `UPDATE customer SET account = 99 WHERE ${one('customer')}`,
  ],
  ['the changes of accounts and keys are counted in one place', 'DELETE FROM directory'],
  [
    'the clock of test data is as far ahead as it was moved',
    `UPDATE account SET test_clock_offset_ms = 5 WHERE number = (SELECT max(number) FROM account)`,
  ],
  [LOGO_NAMED, `UPDATE account SET logo_test = NULL`],
  [LOGO_NAMED, `UPDATE logo SET name = 'other'`],
  [LOGO_THERE, `DELETE FROM logo`],
  [LOGO_THERE, `UPDATE account SET logo_live = logo_test`],
  [LOGO, `UPDATE logo SET content = 'AAAA'`],
  [LOGO, `UPDATE logo SET name = 'x' || name`],
  [USERS, 'UPDATE dashboard_user SET account = 1'],
  [USER, `UPDATE dashboard_user SET email = 'other@example.com' WHERE email IS NOT NULL`],
  [USER, `UPDATE dashboard_user SET accounts = ' 2:owner '`],
  [USER, `UPDATE dashboard_user SET data = replace(data, '"owner"', '"king"'), accounts = ' 1:king '`],
  [
    'no two users have the same address',
    `DROP INDEX dashboard_user_email;
     ${copied('dashboard_user', one('dashboard_user', 'email IS NOT NULL'))}`,
  ],
  [
    'no two customers have the same address',
    `DROP INDEX customer_email;
     ${copied('customer', one('customer'))}`,
  ],
  [OWNER, `UPDATE event SET subject = 'chk_none' WHERE ${event}`],
  [OWNER, `UPDATE event SET subject = 'whe_none' WHERE ${ofEndpoint('subject')}`],
  ['every payment belongs to a session', `UPDATE payment SET checkout = 'chk_none' WHERE reference = 'more'`],
  [
    'every attempt belongs to a session',
    `UPDATE payment_attempt SET checkout = 'chk_none' WHERE reference = 'more'`,
  ],
  [
    'every entry of metadata to filter by belongs to a session',
    `UPDATE checkout_metadata SET checkout = 'chk_none' WHERE name = 'gift'`,
  ],
  [
    'the log of changes tells of no session and no version that does not exist',
    `UPDATE audit SET version = 99 WHERE version = 2`,
  ],
  [
    'the log of changes tells of no session and no version that does not exist',
    `UPDATE audit SET subject = 'chk_none' WHERE version = 2`,
  ],
  [ENVELOPE, `UPDATE event SET body = replace(body, '"sequence":', '"sequence":9') WHERE ${event}`],
  [ENVELOPE, `UPDATE event SET type = 'checkout.gone' WHERE ${event}`],
  [LOG_OF_ENDPOINTS, `UPDATE audit SET version = 99 WHERE action = 'rotate_secret'`],
  [LOG_OF_ENDPOINTS, `DELETE FROM audit WHERE action = 'delete_endpoint'`],
  [FAILS, 'UPDATE webhook_receiver SET failures = 0'],
  [FAILS, 'UPDATE webhook_receiver SET probes = 1, probe_at = NULL'],
  [FAILS, `UPDATE webhook_receiver SET id = 'shop'`],
  [OF_EVENT, `UPDATE delivery SET event = 'evt_none' WHERE ${one('delivery')}`],
  [OF_EVENT, `UPDATE delivery SET subject = 'chk_none' WHERE ${one('delivery')}`],
  [OF_EVENT, `UPDATE delivery SET sequence = sequence + 1 WHERE ${one('delivery')}`],
  [OF_EVENT, `UPDATE delivery SET created_at = created_at + 1 WHERE ${one('delivery')}`],
  [DESTINATION, `UPDATE delivery SET url = NULL WHERE ${named}`],
  [DESTINATION, `UPDATE delivery SET receiver = 'whe_none' WHERE ${named}`],
  [DESTINATION, `DELETE FROM audit WHERE action = 'delete_endpoint'`],
  [DESTINATION, `UPDATE delivery SET receiver = subject WHERE url IS NULL`],
  [
    'no event goes to a receiver twice',
    `UPDATE delivery SET event = (SELECT max(event) FROM delivery AS other WHERE other.receiver = delivery.receiver)
     WHERE ${one('delivery')}`,
  ],
  [ORDERING_KEYS, `UPDATE delivery SET due_at = NULL WHERE due_at IS NOT NULL`],
  [ORDERING_KEYS, `UPDATE delivery SET due_at = 1 WHERE state = 'pending' AND due_at IS NULL`],
  [ORDERING_KEYS, `UPDATE delivery SET due_at = 1 WHERE ${arrived}`],
  [TRIED, `UPDATE delivery SET attempts = 0 WHERE ${arrived}`],
  [TRIED, `UPDATE delivery SET round_start = attempts + 1 WHERE ${arrived}`],
  [LEFT, `UPDATE delivery SET state = 'failed' WHERE ${arrived}`],
  [LEFT, `UPDATE delivery SET state = 'failed' WHERE state = 'pending' AND attempts = 0`],
  [LEFT, `UPDATE delivery SET state = 'delivered' WHERE state = 'failed'`],
  [LEFT, `UPDATE delivery SET last_status = 500 WHERE ${arrived}`],
  [LEFT, `UPDATE delivery SET last_error = 'timeout' WHERE ${arrived}`],
  [LEFT, `UPDATE delivery SET tried_at = tried_at + 1 WHERE ${arrived}`],
  [ATTEMPTS, `UPDATE delivery SET attempts = attempts + 1 WHERE ${arrived}`],
  [ATTEMPTS, `DELETE FROM delivery_attempt WHERE ${one('delivery_attempt', '1 = 1', 'delivery')}`],
  [
    ATTEMPTS,
    `UPDATE delivery_attempt SET number = number + 10 WHERE ${one('delivery_attempt', '1 = 1', 'delivery')}`,
  ],
  [
    ATTEMPTS,
    `UPDATE delivery SET attempts = attempts + 1 WHERE id = (SELECT max(delivery) FROM delivery_attempt);
     UPDATE delivery_attempt SET number = -number - 1 WHERE delivery = (SELECT max(delivery) FROM delivery_attempt);
     UPDATE delivery_attempt SET number = -number WHERE number < 0`,
  ],
  [
    'every attempt in the log is of a delivery',
    `UPDATE delivery_attempt SET delivery = 'whd_none' WHERE ${one('delivery_attempt', '1 = 1', 'delivery')}`,
  ],
  ['every endpoint can be read', `UPDATE webhook_endpoint SET data = '{' WHERE ${one('webhook_endpoint')}`],
  ['every endpoint can be read', `UPDATE webhook_endpoint SET data = '{}' WHERE ${one('webhook_endpoint')}`],
  ...[
    ['"url":"', '"url":"/'],
    ['"events":[', '"events":[],"before":['],
    ['"events":[', '"events":"*","before":['],
    ['"secret":"', '"secret":1,"before":"'],
    ['"disabled":', '"disabled":"other","before":'],
    ['"previousSecret":', '"previousSecret":{},"before":'],
    ['"createdAt":1', '"createdAt":0.1'],
    ['"updatedAt":1', '"updatedAt":0.1'],
  ].map(
    ([text, other]): Damage => [
      'every endpoint can be read',
      `UPDATE webhook_endpoint SET data = replace(data, '${text}', '${other}')`,
    ],
  ),
  [
    'an endpoint has the events that it counts, numbered without a gap',
    'UPDATE webhook_endpoint SET event_count = event_count + 1',
  ],
  [
    'an endpoint has the events that it counts, numbered without a gap',
    `DELETE FROM event WHERE ${ofEndpoint('subject')}; DELETE FROM feed_start`,
  ],
  [
    'a version of an endpoint tells of one event at most',
    'UPDATE webhook_endpoint SET version = event_count',
  ],
  [
    'every version of an endpoint has its line in the log of changes',
    `DELETE FROM audit WHERE action = 'disable_endpoint'`,
  ],
  [
    'the columns of a customer say what the record says',
    `UPDATE customer SET email = 'other@example.com' WHERE ${one('customer')}`,
  ],
  [
    'the columns of a customer say what the record says',
    `UPDATE customer SET data = '{' WHERE ${one('customer')}`,
  ],
  ['every session can be read', `UPDATE checkout SET data = '{' WHERE ${paid}`],
  ['every session can be read', `UPDATE checkout SET data = '{}' WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET reference_id = 'other' WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET status = 'expired' WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET payment_status = 'unpaid' WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET invoice_currency = 'USD' WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET email = NULL WHERE ${one('checkout', 'email IS NOT NULL')}`],
  [
    'what is paid is the sum of the ledger',
    `UPDATE checkout SET amount_paid = amount_paid - 1 WHERE ${paid}`,
  ],
  [
    'what is paid is the sum of the ledger',
    `UPDATE payment SET amount = amount + 1 WHERE reference = 'more'`,
  ],
  ['what is paid is the sum of the ledger', `DELETE FROM payment WHERE reference = 'more'`],
  [
    'a session is completed as soon as it is paid, and only then',
    `UPDATE checkout SET data = replace(data, '"state":"completed"', '"state":"active"') WHERE ${paid}`,
  ],
  [
    'a session is completed as soon as it is paid, and only then',
    `UPDATE checkout SET data = replace(data, '"state":"active"', '"state":"completed"')`,
  ],
  [
    'payments have the currency of their session and belong to its attempts',
    `UPDATE payment SET currency = 'USD' WHERE reference = 'more'`,
  ],
  [
    'payments have the currency of their session and belong to its attempts',
    `UPDATE payment SET attempt = 'pat_none' WHERE reference = 'more'`,
  ],
  [
    'the attempts that are found are those of the session',
    `UPDATE payment_attempt SET reference = 'other' WHERE reference = 'more'`,
  ],
  [
    'the attempts that are found are those of the session',
    `DELETE FROM payment_attempt WHERE reference = 'more'`,
  ],
  [
    'the metadata to filter by is that of the session',
    `UPDATE checkout_metadata SET value = 'x' WHERE name = 'gift'`,
  ],
  ['the metadata to filter by is that of the session', `DELETE FROM checkout_metadata WHERE name = 'gift'`],
  [EVENTS, `UPDATE checkout SET event_count = event_count + 1 WHERE ${paid}`],
  [EVENTS, `UPDATE event SET sequence = 99 WHERE ${event}`],
  [EVENTS, 'DELETE FROM event WHERE sequence = 2'],
  [EVENTS, `DELETE FROM event WHERE ${event}; DELETE FROM feed_start`],
  [VERSIONS, `UPDATE checkout SET version = version + 1 WHERE ${paid}`],
  [
    VERSIONS,
    `UPDATE event SET body = replace(body, ',"version":1,"seq', ',"version":9,"seq') WHERE ${event}`,
  ],
  [
    VERSIONS,
    `UPDATE checkout SET version = 2 WHERE event_count = 1;
     UPDATE event SET body = replace(body, ',"version":1,"seq', ',"version":2,"seq')
     WHERE subject IN (SELECT id FROM checkout WHERE event_count = 1)`,
  ],
  ['every version of a session has its line in the log of changes', 'DELETE FROM audit WHERE version = 3'],
  [ADDRESS, `UPDATE delivery SET url = 'http://127.0.0.1:1/' WHERE ${named}`],
  [ADDRESS, `UPDATE delivery SET receiver = 'http://127.0.0.1:1' WHERE ${named}`],
  [ADDRESS, `UPDATE checkout SET data = replace(data, '/refunds"', '/other"')`],
  [SAYS, `DELETE FROM delivery WHERE ${named}`],
  [SAYS, `DELETE FROM delivery WHERE ${one('delivery', `url LIKE '%/refunds'`)}`],
  [
    'no event goes to two addresses of its session',
    `UPDATE delivery SET url = 'https://shop.example/' WHERE url IS NULL`,
  ],
  ['every refund belongs to a session', `UPDATE refund SET checkout = 'chk_none' WHERE state = 'pending'`],
  [REFUNDS, `UPDATE refund SET state = 'succeeded' WHERE state = 'pending'`],
  [REFUNDS, `UPDATE refund SET rail = 'sandbox' WHERE rail = 'bank'`],
  [REFUNDS, `DELETE FROM refund WHERE state = 'failed'`],
  [
    REFUNDS,
    `INSERT INTO refund SELECT account, live, 'rfd_none', checkout, rail, state, NULL FROM refund WHERE ${one('refund')}`,
  ],
  [
    'every movement of money belongs to a session',
    `UPDATE movement SET checkout = 'chk_none' WHERE type = 'refund'`,
  ],
  [MOVEMENTS, 'UPDATE movement SET amount = amount + 1'],
  [MOVEMENTS, `UPDATE movement SET currency = 'USD' WHERE type = 'payment'`],
  [MOVEMENTS, 'UPDATE movement SET late = NOT late'],
  [MOVEMENTS, 'UPDATE movement SET created_at = created_at + 1'],
  [MOVEMENTS, 'UPDATE movement SET time_to_pay_ms = time_to_pay_ms + 1'],
  [MOVEMENTS, 'UPDATE movement SET time_to_pay_ms = NULL'],
  [MOVEMENTS, `UPDATE movement SET time_to_pay_ms = 0 WHERE type = 'refund'`],
  [MOVEMENTS, 'UPDATE movement SET fee = fee + 1'],
  [MOVEMENTS, `UPDATE movement SET fee_currency = 'EUR' WHERE fee = 59`],
  [MOVEMENTS, 'UPDATE movement SET fee = NULL, fee_currency = NULL'],
  [MOVEMENTS, `UPDATE movement SET fee = 0, fee_currency = 'EUR' WHERE type = 'refund'`],
  [MOVEMENTS, `DELETE FROM movement WHERE ${one('movement')}`],
  ['every transfer that is waited for belongs to a session', `UPDATE awaited SET checkout = 'chk_none'`],
  [EXPECTED, 'UPDATE awaited SET amount = amount + 1'],
  [EXPECTED, `UPDATE awaited SET currency = 'USD'`],
  [EXPECTED, 'DELETE FROM awaited'],
  [
    EXPECTED,
    `INSERT INTO awaited SELECT account, live, 'EUR', 1, id, checkout FROM payment_attempt WHERE reference = 'RF1'`,
  ],
  [SETTLED, `DELETE FROM bank_entry WHERE data LIKE '%"concerns":"rfd#_%' ESCAPE '#'`],
  [SETTLED, `UPDATE bank_entry SET data = replace(data, '"concerns":"rfd_', '"concerns":"rfd_0')`],
  [
    SETTLED,
    `UPDATE bank_entry SET data = replace(data, (SELECT min(id) FROM refund WHERE rail = 'bank' AND state = 'succeeded'),
       (SELECT min(id) FROM refund WHERE rail = 'bank' AND state = 'pending'))`,
  ],
  [SETTLED, inSession('"bankEntries":["ntc_', '"bankEntries":["ntc_0')],
  [
    SETTLED,
    `UPDATE checkout SET data = replace(data, '"bankEntries":["', '"bankEntries":["' ||
      (SELECT id FROM bank_entry WHERE reference = 'line-3') || '","')`,
  ],
  [BACK, `UPDATE checkout SET data = replace(data, '"amount":300,', '"amount":3000,')`],
  [FEES, `UPDATE checkout SET data = replace(data, '"returned","amount":59,', '"other","amount":59,')`],
  [
    FEES,
    `UPDATE checkout SET data = replace(data, '"fees":[', '"fees":[{"rail":"sandbox","reference":"returned","amount":59,"currency":"USD"},')`,
  ],
  [AMOUNTS, `UPDATE checkout SET data = replace(data, '"amount":59,', '"amount":-59,')`],
  [
    OF_ATTEMPT,
    `UPDATE checkout SET data = replace(data, '"rail":"bank","reference":""', '"rail":"sandbox","reference":""')`,
  ],
  [
    OF_ATTEMPT,
    `UPDATE checkout SET data = replace(data, '"reference":"dispute-1","attempt":"', '"reference":"dispute-1","attempt":"x')`,
  ],
  [EVENT_TIME, `UPDATE provider_event SET due_at = NULL WHERE state = 'waiting'`],
  [EVENT_TIME, `UPDATE provider_event SET due_at = 1 WHERE state = 'done'`],
  [EVENT_TIME, `UPDATE provider_event SET tries = -1 WHERE state = 'done'`],
  [EVENT_REASON, `UPDATE provider_event SET reason = 'no_answer' WHERE state = 'done'`],
  [EVENT_REASON, `UPDATE provider_event SET reason = 'no_answer' WHERE state = 'waiting'`],
  [EVENT_REASON, `UPDATE provider_event SET tries = 1 WHERE state = 'waiting'`],
  [EVENT_REASON, `UPDATE provider_event SET state = 'open', due_at = NULL WHERE state = 'waiting'`],
  [
    'no provider event is there twice',
    `DROP INDEX provider_event_reference; UPDATE provider_event SET reference = 'evt-1'`,
  ],
  [ENTRY_TIME, `UPDATE bank_entry SET due_at = NULL`],
  [ENTRY_TIME, `UPDATE bank_entry SET due_at = 1 WHERE state = 'done'`],
  [ENTRY_TIME, `UPDATE bank_entry SET due_at = 1 WHERE data LIKE '%pending%'`],
  [ENTRY_TIME, `UPDATE bank_entry SET state = 'open' WHERE due_at IS NOT NULL`],
  [ENTRY_TIME, `UPDATE bank_entry SET tries = -1 WHERE state = 'open'`],
  [
    'no bank entry is there twice',
    `DROP INDEX bank_entry_reference; UPDATE bank_entry SET reference = 'line-2' WHERE state = 'open'`,
  ],
  ['every bank entry can be read', `UPDATE bank_entry SET data = '{' WHERE state = 'open'`],
  ['every bank entry can be read', `UPDATE bank_entry SET data = '[]' WHERE state = 'open'`],
  ['every bank entry can be read', `UPDATE bank_entry SET data = '{}' WHERE state = 'open'`],
  [BOOKED, `DELETE FROM bank_entry WHERE reference = 'of RF1'`],
  [BOOKED, `UPDATE payment SET reference = 'TX-1' WHERE rail = 'bank'`],
  [CAUSED, `UPDATE event SET cause = 'pev_none' WHERE ${event}`],
  [
    CAUSED,
    `UPDATE event SET cause = coalesce((SELECT min(id) FROM bank_entry
      WHERE bank_entry.account <> event.account OR bank_entry.live <> event.live), 'ntc_none')`,
  ],
  [BOOKED, `UPDATE payment SET reference = replace(reference, '.', '-') WHERE rail = 'bank'`],
  [LEDGER, `UPDATE payment SET reference = replace(reference, '.1', '.2') WHERE rail = 'bank'`],
  [LEDGER, `UPDATE payment SET amount = amount + 1 WHERE rail = 'bank'`],
  [LEDGER, `DELETE FROM payment WHERE rail = 'bank'`],
  [LEDGER, `UPDATE bank_entry SET data = replace(data, '"checkout":"', '"checkout":"x')`],
  [
    'no more of a transfer is booked or goes back than it has brought',
    `UPDATE bank_entry SET data = replace(data, '"amount":5000', '"amount":2499')`,
  ],
  [
    'no more of a transfer is booked or goes back than it has brought',
    `UPDATE bank_entry SET data = replace(data, '"sentBack":{"amount":2500', '"sentBack":{"amount":2501')`,
  ],
  [
    'no file of a bank is there twice',
    `DROP INDEX bank_file_hash;
     ${copied('bank_file', `kind = 'payments'`)}`,
  ],
  ['every file of a bank can be read', `UPDATE bank_file SET data = '1' WHERE ${one('bank_file')}`],
  [BANK_FILE, `UPDATE bank_file SET content = content || ' '`],
  [FILED, `UPDATE refund SET payment_file = NULL`],
  ['every refund that went out has its payment file', `DELETE FROM bank_file WHERE kind = 'payments'`],
  ['every refund that went out has its payment file', `UPDATE refund SET payment_file = 'bfl_none'`],
  [BANK_FILE, `UPDATE bank_file SET content = '' WHERE kind = 'payments'`],
  [BANK_FILE, `UPDATE bank_file SET hash = '' WHERE kind = 'statement'`],
  [CONFIGURED, `UPDATE account SET settings_test = '{' WHERE settings_test IS NOT NULL`],
  [CONFIGURED, `UPDATE account SET settings_live = '{"receivingAccounts":[{"id":"main"},{"id":"main"}]}'`],
  [CONFIGURED, `UPDATE account SET settings_live = '{"policy":{}}'`],
  [CUSTOMER, `DELETE FROM customer WHERE ${one('customer')}`],
  [CUSTOMER, `UPDATE checkout SET data = replace(data, '${nobody}', '${somebody}')`],
  [ERASED, `UPDATE event SET body = replace(body, '${nobody}', '${somebody}')`],
  // Fields that only the newest events of a session show, too.
  [SHOWN, inSession('"successUrl":"', '"successUrl":"https://elsewhere.example/')],
  [SHOWN, inSession('"cancelUrl":"', '"cancelUrl":"https://elsewhere.example/')],
  [SHOWN, inSession('"token":"1t', '"token":"2t')],
  [SHOWN, inSession('"nested":{"no":"index"}', '"nested":{"no":"more"}')],
  [SHOWN, inSession('"country":"GB"', '"country":"FR"')],
  [SHOWN, inSession('"createdAt":1', '"createdAt":2')],
  [SHOWN, inSession('"methods":[', '"methods":["wire",')],
  [SHOWN, inSession('"expiresAt":1', '"expiresAt":2')],
  [SHOWN, inSession('"reference":"dispute-1"', '"reference":"dispute-2"')],
  [SHOWN, inEvent('"reference_id":"order-1"', '"reference_id":"order-2"')],
  [SHOWN, inEvent('"amount":100,"charge_currency"', '"amount":101,"charge_currency"')],
  [SHOWN, inEvent('"status":"failed","status_description"', '"status":"succeeded","status_description"')],
  [TELLS, inSession('"amount":300,', '"amount":299,')],
  [TELLS, inSession('"reason":"Returned goods."', '"reason":"None."')],
  [TELLS, inEvent('"object":"refund"', '"object":"refunds"')],
  [TELLS, inEvent('"id":"rfd_', '"id":"rfd_0')],
  [EVENT, `UPDATE event SET body = 'x' WHERE ${event}`],
  [EVENT, `UPDATE event SET body = '[]' WHERE ${event}`],
  [EVENT, `UPDATE event SET body = substr(body, 1, length(body) - 1) WHERE ${event}`],
  [ENVELOPE, `UPDATE event SET created_at = created_at + 1 WHERE ${event}`],
  [ENVELOPE, `UPDATE event SET body = replace(body, '"data":{"id":"', '"data":{"id":"x') WHERE ${event}`],
  [ENVELOPE, `UPDATE event SET body = replace(body, '"payin":"', '"payin":"x') WHERE type LIKE 'refund.%'`],
  [ANSWERS, `UPDATE idempotency SET body = substr(body, 2)`],
  [ANSWERS, `UPDATE idempotency SET event = NULL WHERE event IS NOT NULL`],
  [ANSWERS, `UPDATE idempotency SET headers = '{'`],
  [ANSWERS, `UPDATE idempotency SET status_code = 0`],
  [ANSWERS, `UPDATE idempotency SET request_hash = ''`],
  [KEYS, `UPDATE api_key SET permissions = 'everything'`],
  [KEYS, `UPDATE api_key SET secret_hash = id`],
  [EXACT, `UPDATE payment SET amount = ${BEYOND} WHERE reference = 'more'`],
  [EXACT, `UPDATE delivery SET tried_at = -${BEYOND} WHERE ${arrived}`],
  [EXACT, `UPDATE bank_entry SET received_at = ${BEYOND} WHERE state = 'open'`],
  [AMOUNTS, inSession('"unitPrice":1250', `"unitPrice":${BEYOND}`)],
  [AMOUNTS, inSession('"amount":300,', '"amount":-300,')],
  [AMOUNTS, inSession('"amount":1000,', '"amount":0.5,')],
  [AMOUNTS, inSession('"amount":2500,', '"amount":"2500",')],
  // Each of them can be counted with exactly, their sum cannot.
  [
    SUM,
    `UPDATE payment SET amount = 9007199254740991 WHERE checkout = (SELECT checkout FROM payment WHERE reference = 'more');
     UPDATE checkout SET amount_paid = 9007199254740991 * 2
     WHERE id = (SELECT checkout FROM payment WHERE reference = 'more')`,
  ],
];

/** Poison: rows at which a statement or a reader would stop. Whatever else is wrong is named all the same. */
const everyPoison: readonly string[] = [
  `UPDATE checkout SET amount_paid = ${BEYOND} WHERE ${one('checkout')}`,
  `UPDATE checkout SET data = '{' WHERE ${one('checkout')}`,
  `UPDATE checkout SET data = 'null' WHERE ${one('checkout')}`,
  `UPDATE checkout SET data = '{"payments":1,"attempts":1}' WHERE ${one('checkout')}`,
  `UPDATE customer SET data = 'null' WHERE ${one('customer')}`,
  `UPDATE dashboard_user SET data = 'null'`,
  `UPDATE event SET body = 'x' WHERE sequence > 1`,
  `UPDATE event SET body = 'null' WHERE sequence > 1`,
  `UPDATE event SET created_at = ${BEYOND} WHERE ${event}`,
  `UPDATE idempotency SET created_at = ${BEYOND}, body = 'x', headers = 'x'`,
  `UPDATE delivery SET created_at = 9223372036854775807`,
  `UPDATE delivery_attempt SET number = 2147483647; UPDATE delivery_attempt SET at = -9223372036854775808`,
  `UPDATE feed_start SET position = 9223372036854775807`,
  `UPDATE account SET settings_test = 'x', test_clock_offset_ms = ${BEYOND}`,
  `UPDATE webhook_endpoint SET data = 'null'`,
  `UPDATE bank_entry SET data = 'null', received_at = ${BEYOND} WHERE state = 'waiting'`,
  `UPDATE bank_file SET data = 'x'`,
  `UPDATE logo SET name = 'x', content = 'x'`,
  `UPDATE payment SET amount = 9223372036854775807 WHERE rail = 'bank'`,
  `UPDATE audit SET at = ${BEYOND}`,
];

/** Takes from a table what keeps wrong types out, as a program that does not know of it would. */
const wronglyTyped = (table: string, sql: string): string => `
  PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET sql = replace(sql, ' STRICT', '') WHERE name = '${table}';
  UPDATE sqlite_schema SET sql = replace(sql, ', WITHOUT ROWID', ' WITHOUT ROWID') WHERE name = '${table}';
  PRAGMA writable_schema = RESET; ${sql}`;

export const poison = {
  sqlite: [
    ...everyPoison,
    wronglyTyped(
      'checkout',
      `UPDATE checkout SET amount_paid = 'much', due_at = x'00' WHERE ${one('checkout')}`,
    ),
    wronglyTyped('checkout', `UPDATE checkout SET data = x'00' WHERE ${one('checkout')}`),
    wronglyTyped('delivery', `UPDATE delivery SET url = x'00' WHERE url IS NOT NULL`),
    wronglyTyped('event', `UPDATE event SET body = x'00', sequence = 'first' WHERE ${event}`),
    wronglyTyped('payment_attempt', `UPDATE payment_attempt SET rail = x'00' WHERE reference = 'more'`),
  ],
  postgres: [...everyPoison, 'UPDATE feed_end SET position = 9223372036854775807 WHERE live'],
};

/** Damages beside the rules: one row of each further kind. */
export const besides: readonly Damage[] = [
  [
    COLUMNS,
    `UPDATE checkout SET reference_id = 'other' WHERE ${one('checkout', `reference_id = 'order-1'`)}`,
  ],
  [SUM, `UPDATE checkout SET amount_paid = amount_paid - 1 WHERE reference_id = 'other'`],
  [REFUNDS, `UPDATE refund SET state = 'succeeded' WHERE state = 'failed'`],
  [
    'every version of a session has its line in the log of changes',
    `DELETE FROM audit WHERE version = 3 AND subject = (SELECT id FROM checkout WHERE reference_id = 'other')`,
  ],
];

const POSITIONS = 'positions of events have no gap, and begin behind those that are gone';

const WRITTEN = 'every row is the one that was written';
const MISSING = 'no account and no API key is missing';

const ofSqlite: readonly Damage[] = [
  ...[
    'account.name',
    'account.webhook_secret_live',
    'account.settings_test',
    'api_key.secret_hash',
    'api_key.name',
    'checkout.data',
    'payment.reference',
    'event.body',
    'idempotency.request_hash',
    'bank_entry.data',
    'bank_file.content',
    'logo.content',
    'provider_event.body',
    'customer.data',
    'dashboard_user.data',
    'webhook_endpoint.data',
    'audit.actor',
  ].map((each): Damage => {
    const [table, column] = each.split('.');
    return [
      WRITTEN,
      `UPDATE ${table} SET ${column} = ${column} || ' ' WHERE rowid = (SELECT max(rowid) FROM ${table})`,
    ];
  }),
  [WRITTEN, `UPDATE request_log SET actor = 'ak_test_other' WHERE status >= 400`],
  [WRITTEN, 'UPDATE account SET previous_webhook_secret_test_until = 1'],
  [WRITTEN, `UPDATE event SET cause = 'asked' WHERE ${event}`],
  [WRITTEN, 'UPDATE api_key SET live = 1 - live'],
  [WRITTEN, 'UPDATE api_key SET revoked_at = 1'],
  [MISSING, 'DELETE FROM api_key'],
  [MISSING, 'DELETE FROM account'],
  [
    'the file is whole, and its indexes agree with its tables',
    `PRAGMA writable_schema = ON;
     UPDATE sqlite_schema SET sql = replace(sql, 'reference_id', 'status') WHERE name = 'checkout_reference'`,
  ],
  ['everything that is referred to exists', 'UPDATE api_key SET account = 99'],
  [
    POSITIONS,
    'UPDATE event SET position = position + 100 WHERE position = (SELECT max(position) FROM event)',
  ],
  [POSITIONS, 'DELETE FROM feed_start'],
  [POSITIONS, 'UPDATE feed_start SET position = position - 1'],
  ['every session points to its newest event', `UPDATE checkout SET last_event = 1 WHERE last_event > 1`],
  ['every session points to its newest event', `UPDATE checkout SET last_event = 3 WHERE last_event <= 2`],
  ['every event points to the one before it', 'UPDATE event SET previous = 1 WHERE sequence = 3'],
  ['every event points to the one before it', `UPDATE event SET previous = 1 WHERE ${ofEndpoint('subject')}`],
  [
    'every event points to the one before it',
    `UPDATE event SET previous = 0 WHERE sequence = 2 AND subject = (SELECT min(id) FROM checkout)`,
  ],
  [
    'every event points to the one before it',
    `UPDATE event SET sequence = 5 - sequence WHERE sequence IN (2, 3)
       AND subject = (SELECT min(subject) FROM event WHERE sequence = 1)`,
  ],
  [
    'every stored answer has its event',
    'UPDATE idempotency SET event = 9999 WHERE event = (SELECT min(event) FROM idempotency)',
  ],
  [COLUMNS, `UPDATE checkout SET amount = amount + 1 WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET description = 'other' WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET partially_paid = 1 - partially_paid WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET paid_in_excess = 1 - paid_in_excess WHERE ${paid}`],
  [DUE, 'UPDATE checkout SET due_at = due_at + 1'],
  [DUE, `UPDATE checkout SET due_at = 1 WHERE ${paid}`],
];

const FEED = 'positions of the feed have no gap, from those that are gone to its end';
const first = 'position = (SELECT min(position) FROM feed)';
const last = 'position = (SELECT max(position) FROM feed)';

const ofPostgres: readonly Damage[] = [
  [
    'indexes are whole and agree with their tables',
    `CREATE EXTENSION amcheck;
     CREATE FUNCTION half(bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT $1 / 2';
     CREATE INDEX halves ON payment (half(amount));
     CREATE OR REPLACE FUNCTION half(bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT $1 / 3'`,
  ],
  [FEED, `UPDATE feed SET position = position + 100 WHERE ${last}`],
  [FEED, `UPDATE feed_end SET position = position + 1 WHERE position > 0`],
  [FEED, 'DELETE FROM feed_end WHERE position = 0'],
  [FEED, 'DELETE FROM feed_start'],
  [FEED, 'UPDATE feed_start SET position = position - 1'],
  ['every event is in the feed or waits for it', `DELETE FROM feed WHERE ${last}`],
  [
    'every event is in the feed or waits for it',
    `INSERT INTO feed_waiting SELECT account, live, subject, sequence, id FROM event WHERE ${event}`,
  ],
  [
    'no event is in the feed or waits for it twice',
    `INSERT INTO feed SELECT account, live, position + 100, event FROM feed WHERE ${first}`,
  ],
  ['the feed has only events that exist', `UPDATE feed SET event = 'evt_none' WHERE ${last}`],
  [
    'what waits for the feed is an event that exists',
    `INSERT INTO feed_waiting VALUES (1, false, 'chk_none', 1, 'evt_none')`,
  ],
  [
    'the events of a subject are in the feed in their order',
    `UPDATE event SET sequence = -sequence; UPDATE event SET sequence = 100 + sequence`,
  ],
  [
    'the events of a subject are in the feed in their order',
    `WITH first AS (DELETE FROM feed WHERE ${first} RETURNING *)
     INSERT INTO feed_waiting SELECT first.account, first.live, subject, sequence, id
     FROM first JOIN event ON event.id = first.event`,
  ],
  [
    'the sessions of the overview exist',
    `INSERT INTO checkout_overview VALUES (1, false, 'chk_none', 1, NULL, 'EUR', 0, 0)`,
  ],
  ['the sessions that are due exist', `INSERT INTO timer VALUES (1, false, 'chk_none', 1, NULL)`],
  [
    'the payments of a session are numbered without a gap',
    'UPDATE payment SET line = line + 1 WHERE line > 1',
  ],
  [
    'a delivery that has ended is in nobody’s hands',
    `UPDATE delivery SET leased_until = 1 WHERE state = 'delivered'`,
  ],
  ['deliveries of every account and mode can be claimed', 'DELETE FROM delivery_claim WHERE live'],
  ['every stored answer has its event', `UPDATE idempotency SET event = 'evt_none' WHERE event IS NOT NULL`],
  [COLUMNS, `UPDATE checkout_overview SET amount = amount + 1`],
  [OWED, 'UPDATE checkout_overview SET amount_open = amount_open + 1'],
  [OWED, 'UPDATE checkout_overview SET amount_excess = amount_excess + 1'],
  [OWED, `UPDATE checkout_overview SET currency = 'XTS'`],
  [COLUMNS, `UPDATE checkout_overview SET description = 'other'`],
  [COLUMNS, 'DELETE FROM checkout_overview'],
  [COLUMNS, `UPDATE checkout SET partially_paid = NOT partially_paid WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET paid_in_excess = NOT paid_in_excess WHERE ${paid}`],
  [DUE, 'UPDATE timer SET due_at = due_at + 1'],
  [DUE, 'DELETE FROM timer'],
];

export const damages = {
  sqlite: [...common, ...ofSqlite],
  postgres: [...common, ...ofPostgres],
};
