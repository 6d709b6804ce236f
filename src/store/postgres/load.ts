/** The rows that the units of a batch need, loaded for all of them at once. */
import type { BankFile } from '../../banking/bank-file.ts';
import type { BankEntry } from '../../banking/entry.ts';
import { type Customer, emailKey } from '../../checkout/customer.ts';
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { ProviderEvent } from '../../methods/provider-event.ts';
import { type Endpoint, isEndpoint } from '../../webhooks/endpoint.ts';
import type { Health } from '../../webhooks/health.ts';
import { wholeBody } from '../answer-body.ts';
import { bankEntryFrom } from '../reads/bank-entries.ts';
import { bankFileFrom } from '../reads/bank-files.ts';
import { customerFrom } from '../reads/customers.ts';
import { endpointFrom, healthFrom } from '../reads/endpoints.ts';
import { asItIs } from '../reads/read.ts';
import { textArray } from '../sql.ts';
import { type IdempotencyKey, type Loaded, type Needs, railKey, type Writes } from '../store.ts';
import { columnsIn, type Row } from '../tables.ts';
import type { CheckoutCache } from './cache.ts';
import type { Sql } from './connection.ts';
import { tenantColumns } from './run.ts';

/** The loaded rows, kept up to date with what the units before have decided to write. */
export type View = {
  of(needs: Needs): Loaded;
  /** The units behind are to see these. */
  apply(writes: Writes): void;
};

/** The place of a stored answer in a map; operations are of our own making and have no such character. */
const answerKey = ({ operation, key }: Pick<IdempotencyKey, 'operation' | 'key'>): string =>
  `${operation}\n${key}`;

/**
 * Locks what the batch may change, everywhere in the same order so that no two batches wait for each other, and then
 * reads it: a statement behind a lock sees what whoever held the lock has committed. All goes out in one piece.
 */
export async function loadView(
  sql: Sql,
  tenant: Tenant,
  all: readonly Needs[],
  cache: CheckoutCache,
): Promise<View> {
  const [account, live] = tenantColumns(tenant);
  const wanted = <T>(pick: (needs: Needs) => readonly T[] | undefined): T[] => [
    ...new Set(all.flatMap((needs) => pick(needs) ?? [])),
  ];
  const ids = wanted(({ checkouts }) => checkouts);
  const subjects = wanted(({ deliverySubjects }) => deliverySubjects);
  const locked = textArray([...ids, ...subjects]);
  const lockedEndpoints = wanted(({ lockedEndpoints }) => lockedEndpoints);
  const endpointIds = textArray([...subjects, ...lockedEndpoints]);
  const receiverIds = wanted(({ receivers }) => receivers);
  const customerIds = wanted(({ customers }) => customers);
  const emails = wanted(({ emails }) => emails);
  const rails = wanted(({ references }) => references);
  const events = wanted(({ providerEvents }) => providerEvents);
  const entries = wanted(({ bankEntries }) => bankEntries);
  const hashes = wanted(({ statements }) => statements);
  const keys = wanted(({ idempotency }) => (idempotency ? [idempotency] : []));

  const lockCheckouts = () => sql`
    SELECT id FROM checkout WHERE account = ${account} AND live = ${live} AND id = ANY (${locked}::text[])
    ORDER BY id FOR NO KEY UPDATE`;
  const lockEndpoints = () => sql`
    SELECT id FROM webhook_endpoint
    WHERE account = ${account} AND live = ${live} AND id = ANY (${endpointIds}::text[])
    ORDER BY id FOR NO KEY UPDATE`;
  const lockReceivers = () => sql<Row<'webhook_receiver'>[]>`
    SELECT ${sql.unsafe(columnsIn('webhook_receiver'))} FROM webhook_receiver
    WHERE account = ${account} AND live = ${live} AND id = ANY (${textArray(receiverIds)}::text[])
    ORDER BY id FOR UPDATE`;
  const readEndpoints = () => sql<Row<'webhook_endpoint'>[]>`
    SELECT ${sql.unsafe(columnsIn('webhook_endpoint'))} FROM webhook_endpoint
    WHERE account = ${account} AND live = ${live} ORDER BY id`;
  const lockCustomers = () => sql<Array<{ data: string }>>`
    SELECT data FROM customer
    WHERE account = ${account} AND live = ${live} AND id = ANY (${textArray(customerIds)}::text[])
    ORDER BY id FOR UPDATE`;
  // Whoever makes a session for somebody must find them there still; nothing of them is changed.
  const lockCustomersByEmail = () => sql<Array<{ email: string; data: string }>>`
    SELECT email, data FROM customer
    WHERE account = ${account} AND live = ${live} AND email = ANY (${textArray(emails)}::text[])
    ORDER BY id FOR KEY SHARE`;
  // One that nobody has written yet cannot be locked: of two who do so its index refuses the second, who tries again.
  const lockProviderEvents = () => sql<Row<'provider_event'>[]>`
    SELECT ${sql.unsafe(columnsIn('provider_event'))}
    FROM unnest(${textArray(events.map(({ rail }) => rail))}::text[],
                ${textArray(events.map(({ reference }) => reference))}::text[]) AS wanted (rail, reference)
    JOIN provider_event USING (rail, reference)
    WHERE account = ${account} AND live = ${live}
    ORDER BY rail, reference FOR UPDATE OF provider_event`;
  const lockBankEntries = () => sql<Row<'bank_entry'>[]>`
    SELECT ${sql.unsafe(columnsIn('bank_entry'))} FROM bank_entry
    WHERE account = ${account} AND live = ${live} AND reference = ANY (${textArray(entries)}::text[])
    ORDER BY reference FOR UPDATE`;
  const readOwners = () => sql<Array<{ rail: string; reference: string; checkout: string }>>`
    WITH wanted AS (
      SELECT * FROM unnest(${textArray(rails.map(({ rail }) => rail))}::text[],
                           ${textArray(rails.map(({ reference }) => reference))}::text[]) AS r (rail, reference)
    )
    SELECT rail, reference, checkout FROM payment JOIN wanted USING (rail, reference)
      WHERE account = ${account} AND live = ${live}
    UNION ALL
    SELECT rail, reference, checkout FROM payment_attempt JOIN wanted USING (rail, reference)
      WHERE account = ${account} AND live = ${live}`;
  const lockStatements = () => sql<Row<'bank_file'>[]>`
    SELECT ${sql.unsafe(columnsIn('bank_file'))} FROM bank_file
    WHERE account = ${account} AND live = ${live} AND kind IN ('statement', 'ingesting')
      AND hash = ANY (${textArray(hashes)}::text[])
    ORDER BY hash FOR UPDATE`;
  const readAnswers = () => sql<AnswerRow[]>`
    SELECT idempotency_key, operation, request_hash, status_code, headers, idempotency.body,
           event.body AS event_body
    FROM unnest(${textArray(keys.map(({ key }) => key))}::text[],
                ${textArray(keys.map(({ operation }) => operation))}::text[]) AS wanted (key, operation)
    JOIN idempotency USING (operation)
    LEFT JOIN event ON event.account = idempotency.account AND event.live = idempotency.live
      AND event.id = idempotency.event
    WHERE idempotency.account = ${account} AND idempotency.live = ${live} AND idempotency_key = wanted.key`;

  // The driver sends a statement when it is first waited for, or told to: in this order, the locks before the reads.
  const found = await Promise.all([
    ids.length + subjects.length > 0 ? lockCheckouts().execute() : [],
    lockedEndpoints.length > 0 || subjects.some(isEndpoint) ? lockEndpoints().execute() : [],
    receiverIds.length > 0 ? lockReceivers().execute() : [],
    customerIds.length > 0 ? lockCustomers().execute() : [],
    emails.length > 0 ? lockCustomersByEmail().execute() : [],
    events.length > 0 ? lockProviderEvents().execute() : [],
    entries.length > 0 ? lockBankEntries().execute() : [],
    hashes.length > 0 ? lockStatements().execute() : [],
    rails.length > 0 ? readOwners().execute() : [],
    keys.length > 0 ? readAnswers().execute() : [],
    all.some(({ endpoints }) => endpoints) ? readEndpoints().execute() : [],
    ids.length > 0 ? cache.read(sql, tenant, ids) : new Map<string, Checkout>(),
  ]);
  const [
    ,
    ,
    failing,
    foundCustomers,
    foundByEmail,
    foundEvents,
    foundEntries,
    statements,
    owners,
    answers,
    endpoints,
    checkouts,
  ] = found;
  const customers = new Map(foundCustomers.map((row) => [customerFrom(row).id, customerFrom(row)]));
  const byEmail = new Map(foundByEmail.map((row) => [row.email, customerFrom(row)]));
  const ownerOf = new Map(owners.map((row) => [railKey(row), row.checkout]));
  const answerOf = new Map(
    answers.map((row) => [
      answerKey({ operation: row.operation, key: row.idempotency_key }),
      storedAnswer(row),
    ]),
  );
  return createView({
    checkouts,
    customers,
    byEmail,
    providerEvents: new Map(foundEvents.map((row) => [railKey(row), asItIs(row)])),
    bankEntries: new Map(foundEntries.map((row) => [row.reference, bankEntryFrom(row)])),
    statements: new Map(statements.map((row) => [row.hash, bankFileFrom(row)])),
    ownerOf,
    answerOf,
    endpoints: endpoints.map((row) => endpointFrom(tenant, row)),
    receivers: new Map(failing.map((row) => [row.id, healthFrom(row)])),
  });
}

type Found = {
  readonly checkouts: Map<string, Checkout>;
  readonly customers: Map<string, Customer>;
  readonly byEmail: Map<string, Customer>;
  readonly providerEvents: Map<string, ProviderEvent>;
  readonly bankEntries: Map<string, BankEntry>;
  readonly statements: Map<string, BankFile>;
  readonly ownerOf: Map<string, string>;
  readonly answerOf: Map<string, NonNullable<Loaded['answer']>>;
  readonly endpoints: readonly Endpoint[];
  readonly receivers: ReadonlyMap<string, Health>;
};

function createView({
  checkouts,
  customers,
  byEmail,
  providerEvents,
  bankEntries,
  statements,
  ownerOf,
  answerOf,
  ...found
}: Found): View {
  let { endpoints, receivers } = found;
  return {
    of: (needs) => ({
      checkouts: some(checkouts, needs.checkouts),
      customers: some(customers, needs.customers),
      customersByEmail: some(byEmail, needs.emails),
      owners: some(ownerOf, needs.references?.map(railKey)),
      providerEvents: some(providerEvents, needs.providerEvents?.map(railKey)),
      bankEntries: some(bankEntries, needs.bankEntries),
      statements: some(statements, needs.statements),
      answer: (needs.idempotency && answerOf.get(answerKey(needs.idempotency))) ?? null,
      endpoints: needs.endpoints ? endpoints : [],
      receivers: some(receivers, needs.receivers),
    }),

    apply({
      checkout,
      customer,
      providerEvent,
      bankEntry,
      bankFile,
      ingestedFile,
      answer,
      endpoints: changes = [],
      receivers: fares = [],
    }) {
      for (const { before, after } of changes) {
        const others = endpoints.filter(({ id }) => id !== (after ?? before)?.id);
        endpoints = after === null ? others : [...others, after].sort((a, b) => (a.id < b.id ? -1 : 1));
      }
      if (fares.length > 0) {
        const now = new Map<string, Health | null>([
          ...receivers,
          ...fares.map(({ id, health }) => [id, health] as const),
        ]);
        receivers = new Map(
          [...now].flatMap(([id, health]) => (health === null ? [] : [[id, health] as const])),
        );
      }
      if (checkout) {
        const { after } = checkout;
        checkouts.set(after.id, after);
        for (const each of [...after.attempts, ...after.payments]) ownerOf.set(railKey(each), after.id);
      }
      if (customer) {
        customers.set(customer.id, customer);
        for (const [email, { id }] of byEmail) if (id === customer.id) byEmail.delete(email);
        const email = emailKey(customer.email);
        if (email !== '') byEmail.set(email, customer);
      }
      if (providerEvent) providerEvents.set(railKey(providerEvent), providerEvent);
      if (bankEntry) bankEntries.set(bankEntry.reference, bankEntry);
      for (const file of [bankFile, ingestedFile]) {
        if (file && file.kind !== 'payments') statements.set(file.hash, file);
      }
      if (answer) {
        const { requestHash, statusCode, headers, body } = answer;
        answerOf.set(answerKey(answer), { requestHash, statusCode, headers, body });
      }
    },
  };
}

const none = new Map<string, never>();

/** The wanted ones that exist. */
function some<T>(all: ReadonlyMap<string, T>, ids: readonly string[] | undefined): ReadonlyMap<string, T> {
  if (ids === undefined) return none;
  return new Map(
    ids.flatMap((id) => {
      const found = all.get(id);
      return found === undefined ? [] : [[id, found] as const];
    }),
  );
}

type AnswerRow = {
  readonly idempotency_key: string;
  readonly operation: string;
  readonly request_hash: string;
  readonly status_code: number;
  readonly headers: string;
  readonly body: string;
  readonly event_body: string | null;
};

function storedAnswer(row: AnswerRow): NonNullable<Loaded['answer']> {
  return {
    requestHash: row.request_hash,
    statusCode: row.status_code,
    headers: JSON.parse(row.headers),
    body: row.event_body === null ? row.body : wholeBody(row.body, row.event_body),
  };
}
