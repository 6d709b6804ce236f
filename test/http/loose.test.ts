/** Amounts of requests are read in the unit of the account: an operation that takes some says whose they are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TSchema } from 'typebox';
import { declaredOperations } from '../../scripts/reference/api/document.ts';

/** Names of the fields of a schema, at every level. */
function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {} } = schema as { properties?: Record<string, TSchema> };
  return [...Object.keys(properties), ...Object.values(schema).flatMap(namesIn)];
}

test('every operation that takes amounts says what currency they are in', async () => {
  const takesAmounts = (await declaredOperations()).filter(({ accepted: { body, querystring } }) =>
    [body, querystring].flatMap(namesIn).some((name) => /^(amount|unit_price)\b/.test(name)),
  );
  assert.deepEqual(
    takesAmounts.map(({ declaration: { operation } }) => operation),
    [
      'CHECKOUT.CREATE',
      'CHECKOUT.LIST',
      'CHECKOUT.UPDATE',
      'PAYIN.CREATE',
      'REFUND.CREATE',
      'BANK_ENTRY.ASSIGN',
      'METADATA.COLLECT',
      'TEST_HELPER.PAY',
    ],
  );
  for (const { declaration } of takesAmounts) assert.ok(declaration.currencyOf, declaration.operation);
});
