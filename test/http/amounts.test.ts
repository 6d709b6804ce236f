/** Amounts by their schemas: each is a field that the border counts in hundredths for clients of other v3 services. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { declaredOperations, openApiDocument } from '../../scripts/reference/api/document.ts';
import { AMOUNTS } from '../../src/checkout/hundredths.ts';
import { MAX_AMOUNT } from '../../src/checkout/money.ts';
import { amountExamples } from '../../src/http/schemas/fields.ts';

type Field = { readonly $ref?: string; readonly examples?: unknown; readonly maximum?: number };

const operations = await declaredOperations();
const { schemas } = openApiDocument(operations).components;

/** Names of the fields within a schema that are amounts. */
function amountsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {} } = schema as { properties?: Readonly<Record<string, Field>> };
  const own = Object.entries(properties).filter(([, { $ref = '', ...field }]) => {
    const { examples } = { ...schemas[$ref.split('/').at(-1) ?? ''], ...field };
    return isDeepStrictEqual(examples, amountExamples);
  });
  return [...own.map(([name]) => name), ...Object.values(schema).flatMap(amountsIn)];
}

test('every amount of a request or an answer has a name by which the border knows it', () => {
  assert.deepEqual(new Set(amountsIn(schemas)), AMOUNTS);
});

/** Amounts in the body of a request that have another limit than a session's own, or none. */
function unlimitedIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {} } = schema as { properties?: Readonly<Record<string, Field>> };
  const own = Object.entries(properties).filter(
    ([, { examples, maximum }]) => isDeepStrictEqual(examples, amountExamples) && maximum !== MAX_AMOUNT,
  );
  return [...own.map(([name]) => name), ...Object.values(schema).flatMap(unlimitedIn)];
}

test('every amount in the body of a request has a limit', () => {
  const unlimited = operations.flatMap(({ declaration, accepted }) =>
    unlimitedIn(accepted.body).map((name) => `${declaration.operation} ${name}`),
  );
  assert.deepEqual(unlimited, []);
});
