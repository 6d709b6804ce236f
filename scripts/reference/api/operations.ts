/** Operations of the API document, from the declarations of the routes. */
import { isDeepStrictEqual } from 'node:util';
import type { TSchema } from 'typebox';
import type { Declaration, DeclaredOperation } from '../../../src/http/operation.ts';
import type { ResourceName } from '../../../src/http/schemas/answers.ts';
import type { createErrorResponses } from './errors.ts';
import type { Examples } from './examples.ts';
import { type HeaderName, headersOf, parametersOf } from './headers.ts';
import { addSchema, type Components, hoisted, isObject, type JsonObject, plain, refTo } from './schemas.ts';
import { type Shared, share, type Use } from './share.ts';

type Parts = {
  readonly schemas: Components;
  readonly errors: ReturnType<typeof createErrorResponses>;
  readonly examples: Examples;
};
type Builder = Parts & { readonly parameters: Shared };

/** Paths of the document, in the order of the routes, and the components that they share. */
export function pathsOf(operations: readonly DeclaredOperation[], parts: Parts) {
  addEnvelopes(operations, parts.schemas);
  const ofPaths = [...Map.groupBy(operations, ({ url }) => url).values()];
  const parameters = share('parameters', [
    ...ofPaths.flatMap(([first]) => (first ? usesOf(first, pathParameters(first.accepted.params)) : [])),
    ...operations.flatMap((each) => usesOf(each, queryParameters(each.accepted.querystring, parts.schemas))),
  ]);
  const builder = { ...parts, parameters };
  const paths = ofPaths.map((ofPath) => [pathOf(ofPath), itemOf(ofPath, builder)] as const);
  return { paths: Object.fromEntries(paths), parameters: parameters.components };
}

const pathOf = ([first]: readonly DeclaredOperation[]): string =>
  (first?.url ?? '').replace(/:(\w+)/g, '{$1}');

/** The operations of one path, and the parameters in it, which all of them have. */
function itemOf(ofPath: readonly DeclaredOperation[], builder: Builder): JsonObject {
  const inPath = ofPath.map(({ accepted }) => pathParameters(accepted.params));
  if (inPath.some((each) => !isDeepStrictEqual(each, inPath[0])))
    throw new Error(`the operations of ${pathOf(ofPath)} have other parameters in their path`);
  return {
    ...listed('parameters', referredTo(inPath[0] ?? [], builder)),
    ...Object.fromEntries(ofPath.map((each) => [each.method.toLowerCase(), operationOf(each, builder)])),
  };
}

function operationOf(declared: DeclaredOperation, builder: Builder): JsonObject {
  const { declaration } = declared;
  const { permission, summary, tag } = declaration;
  return {
    operationId: operationIdOf(declaration),
    tags: [tag],
    summary,
    description: descriptionOf(declaration),
    'x-permission': permission,
    ...listed('parameters', [
      ...referredTo(queryParameters(declared.accepted.querystring, builder.schemas), builder),
      ...parametersOf(requestHeadersOf(declared)),
    ]),
    ...bodyOf(declared, builder),
    responses: {
      [declaration.statusCode ?? 200]: successOf(declared, builder),
      ...(declaration.creates ? { 201: creationOf(declared, builder) } : {}),
      ...(declaration.versioned === 'fetch'
        ? { 304: { description: 'The session is as it was.', headers: headersOf(['ETag']) } }
        : {}),
      ...builder.errors.of(declared),
    },
  };
}

const listed = (name: string, list: readonly JsonObject[]): JsonObject =>
  list.length === 0 ? {} : { [name]: list };

export function operationIdOf({ operation }: Declaration): string {
  const [resource = '', verb = ''] = operation.toLowerCase().split('.');
  return `${verb}_${resource}`.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

function descriptionOf({ description = '', inV3, permission, testOnly, liveOnly }: Declaration): string {
  const mode = testOnly ? ', in test mode' : liveOnly ? ', in live mode' : '';
  return [
    description,
    inV3 ? `With \`compatibility: v3\`: ${inV3}` : '',
    `Needs a key with the permission \`${permission}\`${mode}.`,
  ]
    .filter((each) => each !== '')
    .join('\n\n');
}

const referredTo = (parameters: readonly JsonObject[], { parameters: shared }: Builder): JsonObject[] =>
  parameters.map((each) => shared.of(JSON.stringify(each)) ?? each);

function usesOf(declared: DeclaredOperation, parameters: readonly JsonObject[]): readonly Use[] {
  return parameters.map((value) => {
    const name = String(value.name).replace(/\[(\w+)\]/, '.$1');
    const longName = `${resourceOf(declared.declaration)}.${name}`;
    return { key: JSON.stringify(value), value, name, longName };
  });
}

function pathParameters(params: TSchema | undefined): readonly JsonObject[] {
  return propertiesOf(params).map(([name, { description = '', ...schema }]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema,
  }));
}

function queryParameters(query: TSchema | undefined, schemas: Components): readonly JsonObject[] {
  if (query === undefined) return [];
  const { required = [], patternProperties = {} } = plain(query);
  const named = propertiesOf(query).map(([name, value]) => {
    // What a cursor looks like is nothing that a client may rely on, so that the cursors of all lists are the same.
    const { description: _, ...schema } = value.opaque
      ? { type: 'string' }
      : (hoisted(value, schemas) as JsonObject);
    return {
      name,
      in: 'query',
      ...(Array.isArray(required) && required.includes(name) ? { required: true } : {}),
      description: value.description ?? '',
      schema,
    };
  });
  // `metadata[key]=value`: an object whose keys the client chooses.
  const open = Object.entries(isObject(patternProperties) ? patternProperties : {}).map(
    ([pattern, value]) => {
      const { description = '', ...schema } = isObject(value) ? value : {};
      const name = /^\^(\w+)\\\[/.exec(pattern)?.[1];
      if (name === undefined) throw new Error(`no parameter is named by ${pattern}`);
      return {
        name,
        in: 'query',
        description,
        style: 'deepObject',
        explode: true,
        schema: { type: 'object', additionalProperties: schema, examples: [{ order_id: 'A-1001' }] },
      };
    },
  );
  return [...named, ...open];
}

function propertiesOf(schema: TSchema | undefined): ReadonlyArray<readonly [string, JsonObject]> {
  const { properties } = schema ? plain(schema) : {};
  return Object.entries(isObject(properties) ? properties : {}).map(([name, value]) => [
    name,
    isObject(value) ? value : {},
  ]);
}

const isWrite = ({ declaration: { noBody, upload, onlyReads }, accepted: { body } }: DeclaredOperation) =>
  !onlyReads && Boolean(noBody || upload || body);

function requestHeadersOf(declared: DeclaredOperation): readonly HeaderName[] {
  const { versioned, creates, eventStream } = declared.declaration;
  return [
    ...(isWrite(declared) ? (['Idempotency-Key'] as const) : []),
    ...(versioned === 'change' || versioned === 'delete' ? (['If-Match'] as const) : []),
    ...(versioned === 'fetch' || (versioned === 'change' && creates) ? (['If-None-Match'] as const) : []),
    ...(eventStream ? (['Last-Event-ID'] as const) : []),
  ];
}

function bodyOf({ declaration, accepted }: DeclaredOperation, { schemas }: Builder): JsonObject {
  const { upload } = declaration;
  if (upload) {
    const content = bytesOf(upload === true ? [ANY_BYTES] : upload);
    return { requestBody: { description: 'File.', required: true, content } };
  }
  if (accepted.body === undefined) return {};
  const id = operationIdOf(declaration);
  const schema = addSchema(`${id[0]?.toUpperCase()}${id.slice(1)}Body`, accepted.body, schemas);
  return {
    requestBody: { required: !declaration.optionalBody, content: { 'application/json': { schema } } },
  };
}

export const ANY_BYTES = 'application/octet-stream';

/** Bytes of whatever type have an empty schema (OpenAPI 3.1, section 4.8.14.2). */
const bytesOf = (types: readonly string[]): JsonObject =>
  Object.fromEntries(types.map((type) => [type, { schema: {} }]));

export const messageOf = ({ operation }: Declaration): string => `${operation}.SUCCESS`;

function successOf(declared: DeclaredOperation, { examples }: Builder): JsonObject {
  const { declaration } = declared;
  const { statusCode, versioned } = declaration;
  const content = contentOf(declaration, examples);
  return {
    description: content['application/json']
      ? `Success, with the message \`${messageOf(declaration)}\`.`
      : 'downloads' in declaration
        ? 'Success, with the file.'
        : 'Success.',
    headers: headersOf([
      'X-Request-Id',
      ...(versioned && versioned !== 'delete' ? (['ETag'] as const) : []),
      ...(statusCode === 201 ? (['Location'] as const) : []),
      ...(isWrite(declared) ? (['Idempotent-Replayed'] as const) : []),
    ]),
    ...(Object.keys(content).length > 0 ? { content } : {}),
  };
}

/** The forms in which a success answers; none where it has no body. */
function contentOf(declaration: Declaration, examples: Examples): JsonObject {
  const { operation, eventStream } = declaration;
  if ('downloads' in declaration) return bytesOf(declaration.downloads);
  const resource = resourceOf(declaration);
  if (resource === null) return {};
  const data = examples.answer(operation);
  return {
    'application/json': {
      schema: refTo('schemas', envelopeOf(resource, declaration)),
      ...(data ? { example: { status: 'success', message: messageOf(declaration), data } } : {}),
    },
    ...(eventStream
      ? {
          'text/event-stream': {
            schema: { type: 'string', description: eventStream.description },
            example: eventStream.example,
          },
        }
      : {}),
  };
}

/** The same success of an operation that also creates. */
function creationOf(declared: DeclaredOperation, builder: Builder): JsonObject {
  const { declaration } = declared;
  return successOf({ ...declared, declaration: { ...declaration, statusCode: 201 } }, builder);
}

export const isList = (declaration: Declaration): boolean => 'lists' in declaration;
/** The resource that it answers with; null for none. */
export function resourceOf(declaration: Declaration): ResourceName | null {
  if ('lists' in declaration) return declaration.lists;
  return 'answers' in declaration ? declaration.answers : null;
}
const envelopeOf = (resource: ResourceName, declaration: Declaration): string =>
  `${resource}${isList(declaration) ? 'List' : ''}Envelope`;

/** The fields of every success, and those of every page of a list; `data` is what the answer is about. */
const envelopes: Readonly<Record<string, JsonObject>> = {
  NextCursor: {
    type: ['string', 'null'],
    description: 'Cursor of the next page, or null.',
    examples: [null],
  },
  Success: openObject('The answer of a successful request.', {
    status: { type: 'string', const: 'success' },
    message: { type: 'string' },
    data: {},
  }),
  Page: openObject('One page of a list.', {
    status: { type: 'string', const: 'success' },
    message: { type: 'string' },
    data: {},
    has_more: { type: 'boolean', description: 'More rows follow, even after a short page.' },
    next_cursor: refTo('schemas', 'NextCursor'),
  }),
};

function openObject(description: string, properties: JsonObject): JsonObject {
  return { type: 'object', description, required: Object.keys(properties), properties };
}

/**
 * Adds one envelope for all operations that answer with the same resource; its message is one of theirs. It says what is
 * peculiar to it, and refers to the fields that all envelopes have.
 */
function addEnvelopes(operations: readonly DeclaredOperation[], schemas: Components): void {
  for (const [name, schema] of Object.entries(envelopes)) schemas.set(name, schema);
  const answering = operations.flatMap(({ declaration }) => {
    const resource = resourceOf(declaration);
    return resource === null ? [] : [{ declaration, resource, name: envelopeOf(resource, declaration) }];
  });
  for (const [name, all] of Map.groupBy(answering, (each) => each.name)) {
    const [{ declaration: first, resource: answered }] = all as [(typeof answering)[0]];
    const resource = refTo('schemas', answered);
    const properties = {
      message: { type: 'string', enum: all.map(({ declaration }) => messageOf(declaration)) },
      data: isList(first) ? { type: 'array', items: resource } : resource,
    };
    schemas.set(name, {
      allOf: [refTo('schemas', isList(first) ? 'Page' : 'Success')],
      // Again, as those who make types of a schema take what it does not require for optional, whatever else does.
      required: Object.keys(properties),
      properties,
      unevaluatedProperties: false,
    });
  }
}
