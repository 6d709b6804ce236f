import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { declaredOperations } from '../../scripts/reference/api/document.ts';
import { settingsSchema } from '../../src/accounts/settings-schema.ts';
import { validatorCompiler } from '../../src/http/validate.ts';
import { receivingAccountSchema } from '../../src/methods/bank/receiving-account-schema.ts';
import { mappingSchema } from '../../src/statements/mapping.ts';

const accepted = (await declaredOperations()).flatMap(
  ({ method, url, accepted: { params, querystring, body } }) =>
    Object.entries({ params, querystring, body })
      .filter(([, schema]) => schema !== undefined)
      .map(([httpPart, schema]) => ({
        of: `${httpPart} of ${method} ${url}`,
        method,
        url,
        httpPart,
        schema,
      })),
);

// The service compiles each when it needs it first, and does not look whether it is a schema.
test('every schema of requests and settings compiles', () => {
  assert.ok(accepted.length > 60, `${accepted.length} schemas`);
  for (const { of, schema, ...route } of accepted) {
    mustBeSchema(of, schema as object);
    const validate = validatorCompiler({ schema: schema as object, ...route });
    assert.doesNotThrow(() => validate({}), of);
  }
  for (const [of, schema] of Object.entries({ settingsSchema, mappingSchema, receivingAccountSchema })) {
    mustBeSchema(of, schema);
  }
});

test('mistakes are those of the value that was asked about last', () => {
  const schema = { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] };
  const validate = validatorCompiler({ schema, method: 'POST', url: '/', httpPart: 'body' });
  assert.equal(validate({}), false);
  assert.deepEqual(
    validate.errors?.map(({ keyword }) => keyword),
    ['required'],
  );
  assert.equal(validate({ amount: '1' }), false);
  assert.deepEqual(
    validate.errors?.map(({ keyword }) => keyword),
    ['type'],
  );
  assert.equal(validate({ amount: 1 }), true);
  assert.equal(validate.errors, null);
});

function mustBeSchema(of: string, schema: object): void {
  const ajv = new Ajv({ strict: false });
  assert.ok(ajv.validateSchema(schema), `${of}: ${ajv.errorsText()}`);
}
