/** The API document as tests read it: its operations, and whether an answer is as it says. */
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { formats } from '../../src/http/schemas/fields.ts';
import type { Answer } from '../support/service.ts';
import type { Data } from './shop.ts';

export type DocumentedOperation = { readonly method: string; readonly path: string; readonly spec: Data };

export type ApiDocument = ReturnType<typeof readDocument>;

export function readDocument(document: Data) {
  const operations: readonly DocumentedOperation[] = Object.entries<Data>(document.paths).flatMap(
    ([path, { parameters: ofPath = [], ...methods }]) =>
      Object.entries<Data>(methods).map(([method, { parameters = [], ...spec }]) => ({
        method: method.toUpperCase(),
        path,
        // Those of a path are those of each of its operations.
        spec: { ...spec, parameters: [...ofPath, ...parameters] },
      })),
  );

  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  for (const [name, { check }] of Object.entries(formats)) ajv.addFormat(name, check);
  ajv.addSchema(document, 'api');

  /** The target of a reference. */
  function follow(value: Data): Data {
    if (typeof value?.$ref !== 'string') return value;
    return value.$ref
      .slice('#/'.length)
      .split('/')
      .reduce((found: Data, part: string) => found?.[part], document);
  }

  /** The errors of a value under a schema of the document; null if it fits. */
  function misfit(value: unknown, schema: Data): string | null {
    const validate = ajv.getSchema(`api${schema.$ref}`);
    assert.ok(validate, schema.$ref);
    return validate(value) ? null : ajv.errorsText(validate.errors);
  }

  /** The value fits a schema of the document. */
  function assertFits(value: unknown, schema: Data): void {
    const wrong = misfit(value, schema);
    if (wrong !== null) assert.fail(`${wrong} in ${JSON.stringify(value)}`);
  }

  /** The answer has a status, a type and a body that the document tells of. */
  function assertDocumented({ spec }: Pick<DocumentedOperation, 'spec'>, answer: DocumentedAnswer): void {
    const { status, headers, json } = answer;
    const response = follow(
      spec.responses[status] ?? (ofAny.has(status) ? spec.responses.default : undefined),
    );
    assert.ok(response, `${status} is not documented for ${spec.operationId}`);
    const type = headers.get('content-type')?.split(';')[0] ?? '';
    if (type === '' && response.content === undefined) return;
    const content = response.content?.[type];
    assert.ok(content, `${type} is not documented for ${status} of ${spec.operationId}`);
    if (content.schema.$ref === undefined) return;
    assertFits(json, content.schema);
    if (status < 300) assert.ok(response.description.includes(`\`${json.message}\``), response.description);
  }

  return { operations, follow, misfit, assertFits, assertDocumented };
}

/** Statuses that any operation may have, of which the document tells by one answer. */
export const ofAny = new Set([406, 408, 429, 500, 503]);

type DocumentedAnswer = Pick<Answer, 'status' | 'headers' | 'json'>;

/** The body is a file, of whatever type. */
export function isUpload(spec: Data): boolean {
  return spec.requestBody?.content['application/octet-stream'] !== undefined;
}

/** The body is an image. */
export function takesImage(spec: Data): boolean {
  return spec.requestBody?.content['image/png'] !== undefined;
}
