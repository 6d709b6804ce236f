/** The API reference as one page of HTML: operations by group, webhooks, and the resources that both carry. */
import { errorTable } from '../../../src/http/error-table.ts';
import type { DeclaredOperation } from '../../../src/http/operation.ts';
import { resources } from '../../../src/http/schemas/answers.ts';
import { type Html, html } from '../../../src/lib/html.ts';
import { version } from '../../../src/version.ts';
import type { openApiDocument } from '../api/document.ts';
import { reasonsOf } from '../api/errors.ts';
import { sample } from '../api/examples.ts';
import { flattened } from '../api/extended.ts';
import { isList, messageOf, operationIdOf, resourceOf } from '../api/operations.ts';
import { type Components, isObject, type Json, type JsonObject } from '../api/schemas.ts';
import { WEBHOOK_TAG } from '../api/webhooks.ts';
import { fieldHead, fieldList, type Linked, refName, resourceLink, type Schemas } from './fields.ts';
import { layout, prose } from './layout.ts';
import { curl, isParameter } from './request.ts';

type Document = ReturnType<typeof openApiDocument>;

const linked: Linked = new Set(Object.keys(resources));

export function referencePage(operations: readonly DeclaredOperation[], document: Document): string {
  const { info, tags, components, webhooks } = document;
  const schemas = components.schemas as Schemas;
  const groups = Map.groupBy(operations, ({ declaration }) => declaration.tag);
  const apiTags = tags.filter(({ name }) => name !== WEBHOOK_TAG);
  const webhookTag = tags.find(({ name }) => name === WEBHOOK_TAG);
  return layout(
    'API reference',
    html`<a class="skip" href="#content">Skip to content</a>
<header><p class="title"><a href="#content">opentill</a> <span class="quiet">API ${version}</span></p>
<p><a href="openapi.json">OpenAPI document</a> <a href="docs/errors">Errors</a></p></header>
<nav aria-label="Reference">
<details open><summary>Contents</summary>
<ul class="contents">
<li><a href="#content">Overview</a></li>
${apiTags.map(
  ({ name }) => html`<li><a href="#${anchorOf(name)}">${name}</a>
<ul class="operations">
${(groups.get(name) ?? []).map(({ declaration }) => html`<li><a href="#${operationIdOf(declaration)}">${declaration.summary}</a></li>\n`)}</ul></li>
`,
)}<li><a href="#webhooks">${WEBHOOK_TAG}</a></li>
<li><a href="#resources">Resources</a></li>
</ul></details>
</nav>
<main id="content">
<h1>API reference</h1>
<div class="intro">${prose(info.description)}
<p>The examples expect an API key and its secret in a variable of the shell:</p>
${codeBlock('Credentials', 'KEY=ak_test_…:sk_test_…')}</div>
${apiTags.map(
  ({ name, description }) => html`<section id="${anchorOf(name)}" aria-labelledby="${anchorOf(name)}-title">
<h2 id="${anchorOf(name)}-title">${name}</h2>
${prose(description)}
${(groups.get(name) ?? []).map((each) => operationArticle(each, document, schemas))}</section>
`,
)}<section id="webhooks" aria-labelledby="webhooks-title">
<h2 id="webhooks-title">${WEBHOOK_TAG}</h2>
${prose(webhookTag?.description ?? '')}
${webhookHeaders(document)}
${Object.entries(webhooks as Record<string, JsonObject>).map(([type, item]) => webhookArticle(type, item, schemas))}</section>
<section id="resources" aria-labelledby="resources-title">
<h2 id="resources-title">Resources</h2>
<p>The objects in answers and webhooks. All fields are always present.</p>
${Object.keys(resources).map((name) => resourceArticle(name, schemas))}</section>
</main>`,
  );
}

const anchorOf = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

function operationArticle(
  declared: DeclaredOperation,
  { paths, components }: Document,
  schemas: Schemas,
): Html {
  const { declaration, method } = declared;
  const id = operationIdOf(declaration);
  const path = declared.url.replace(/:(\w+)/g, '{$1}');
  const spec = at(paths, path, method.toLowerCase());
  const parameters = [at(paths, path).parameters, spec.parameters]
    .flat()
    .map((each) =>
      isObject(each) && refName(each) ? at(components, 'parameters', refName(each) ?? '') : each,
    );
  const own = parameters.filter(isParameter);
  const [type, media] = Object.entries(at(spec, 'requestBody', 'content'))[0] ?? [];
  const body =
    type === undefined ? null : { type, example: exampleOf(isObject(media) ? media : {}, schemas) };
  const bodySchema = schemas[refName(at(media ?? {}, 'schema')) ?? ''];
  const status = String(declaration.statusCode ?? 200);
  const success = at(spec, 'responses', status, 'content', 'application/json');
  const answer = exampleOf(success, schemas);
  const isCreation = declaration.statusCode === 201;
  const { upload } = declaration;
  const hasEnvelope = resourceOf(declaration) !== null;
  return html`<article id="${id}" class="card" aria-labelledby="${id}-title">
<div class="text">
<h3 id="${id}-title"><a href="#${id}">${declaration.summary}</a></h3>
<p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
${prose(String(spec.description))}
${own.length > 0 && html`<h4>Parameters</h4>\n${parameterList(own, schemas)}`}
${bodySchema !== undefined && html`<h4>Body</h4>\n${fieldList(bodySchema, schemas, linked)}`}
${upload !== undefined && html`<h4>Body</h4>\n<p>The file, ${upload === true ? 'of any content type' : html`as ${typesOf(upload)}`}.</p>`}
<h4>Answer</h4>
<p><code>${status}</code> ${answerOf(declaration)}.</p>
<h4>Errors</h4>
${errorList(declared)}
</div>
<div class="examples">
${codeBlock('Example request', curl(method, path, own, body, { isCreation, components: mapOf(schemas) }))}
${hasEnvelope && codeBlock(`Example answer: ${status}`, pretty({ ...(isObject(answer) ? answer : {}), message: messageOf(declaration) }))}
</div>
</article>
`;
}

/** The success in words, behind its status. */
function answerOf(declaration: DeclaredOperation['declaration']): Html {
  if ('downloads' in declaration) return html`with the file, as ${typesOf(declaration.downloads)}`;
  const resource = resourceOf(declaration);
  if (resource === null) return html`without a body`;
  return isList(declaration)
    ? html`with a page of ${resourceLink(resource)} objects as <code>data</code>`
    : html`with ${resourceLink(resource)} as <code>data</code>`;
}

const typesOf = (types: readonly string[]): Html =>
  html`${types.map((type, index) => html`${index > 0 && ' or '}<code>${type}</code>`)}`;

/** The example that stands with the content, or the one that its schema makes. */
const exampleOf = (content: JsonObject, schemas: Schemas): Json =>
  content.example ?? sample(at(content, 'schema'), mapOf(schemas));

const mapOf = (schemas: Schemas): Components => new Map(Object.entries(schemas));

function parameterList(parameters: readonly Extract<Json, JsonObject>[], schemas: Schemas): Html {
  return html`<ul class="fields">
${parameters.map(({ name, in: place, required, description, schema, style }) => {
  const shown = style === 'deepObject' ? `${String(name)}[key]` : String(name);
  const described = {
    ...(isObject(schema) ? schema : {}),
    ...(description === undefined ? {} : { description }),
  };
  const single = style === 'deepObject' ? { ...described, type: 'string' } : described;
  const isRequired = required === true;
  return html`<li>${fieldHead(shown, single, schemas, linked, { isRequired, place: String(place) })}</li>\n`;
})}</ul>`;
}

/** Reasons by status; those that every operation has come last and are quieter. */
function errorList(declared: DeclaredOperation): Html {
  const byStatus = Map.groupBy(reasonsOf(declared), (reason) => errorTable[reason].status);
  return html`<ul class="errors">
${[...byStatus].map(
  ([status, reasons]) =>
    html`<li><code>${status}</code> ${reasons.map(
      (reason, index) =>
        html`${index > 0 && ', '}<a href="docs/errors#${reason}">${reason}</a> <span class="quiet">${errorTable[reason].code}</span>`,
    )}</li>\n`,
)}</ul>`;
}

function webhookHeaders({ components }: Document): Html {
  const headers = Object.values(components.parameters as Record<string, JsonObject>).filter(
    (each) => each.in === 'header' && each.required === true,
  );
  return html`<h3>Headers</h3>
${parameterList(headers, {})}
`;
}

function webhookArticle(type: string, item: JsonObject, schemas: Schemas): Html {
  const spec = at(item, 'post');
  const media = at(spec, 'requestBody', 'content', 'application/json');
  const id = `webhook-${type}`;
  return html`<article id="${id}" class="card slim" aria-labelledby="${id}-title">
<h3 id="${id}-title"><a href="#${id}"><code>${type}</code></a></h3>
${prose(String(spec.description))}
<p>The body is a ${resourceLink(refName(at(media, 'schema')) ?? '')}.</p>
<details><summary>Example body</summary>${codeBlock(`Example of ${type}`, pretty(exampleOf(media, schemas)))}</details>
</article>
`;
}

function resourceArticle(name: string, schemas: Schemas): Html {
  const schema = flattened(schemas[name] ?? {}, (other) => schemas[other]);
  const options = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  return html`<article id="${name}" class="card slim" aria-labelledby="${name}-title">
<h3 id="${name}-title"><a href="#${name}">${name}</a></h3>
${prose(String(schema.description ?? ''))}
${
  options.length > 0
    ? html`<p>One of ${options.map((each, index) => html`${index > 0 && ', '}${resourceLink(refName(isObject(each) ? each : {}) ?? '')}`)}.</p>`
    : fieldList({ ...schema, required: [] }, schemas, linked)
}
</article>
`;
}

const codeBlock = (label: string, text: string): Html =>
  html`<figure><figcaption>${label}</figcaption><pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre></figure>`;

const pretty = (value: Json | undefined): string => JSON.stringify(value, null, 2);

/** The object at this place; an empty one where there is none. */
function at(value: unknown, ...path: readonly string[]): JsonObject {
  let found = value;
  for (const name of path) found = isObject(found) ? found[name] : undefined;
  return isObject(found) ? found : {};
}
