/**
 * `npm run generate`: writes everything that follows from the code, so that it can be read, compared and reviewed.
 * With `--check` it writes nothing and fails if a file differs from what it would write.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { performancePage } from '../bench/page.ts';
import { architecturePage, dataPage } from './figures/pages.ts';
import { fontFiles } from './fonts.ts';
import { evidencePage, markedOutcomes } from './prove/page.ts';
import { history } from './prove/tree.ts';
import { declaredOperations, openApiDocument } from './reference/api/document.ts';
import { cliReference } from './reference/cli.ts';
import { errorsReference } from './reference/errors.ts';
import { eventsReference } from './reference/events.ts';
import { formatted } from './reference/markdown.ts';
import { errorsPage } from './reference/pages/errors-page.ts';
import { referencePage } from './reference/pages/reference-page.ts';
import { settingsReference } from './reference/settings.ts';

const root = join(import.meta.dirname, '..');

const operations = await declaredOperations();
const document = openApiDocument(operations);
const evidence = markedOutcomes(history());

const pageOf = (path: string) => readFileSync(join(root, path), 'utf8');

const files: Readonly<Record<string, string | Buffer>> = {
  'openapi.json': formatted(JSON.stringify(document), 'openapi.json'),
  'docs/reference/api.html': referencePage(operations, document),
  'docs/reference/errors.html': errorsPage(),
  'docs/reference/settings.md': formatted(settingsReference()),
  'docs/reference/errors.md': formatted(errorsReference()),
  'docs/reference/events.md': formatted(eventsReference()),
  // Evidence of a commit that is gone, as after a rebase, is marked as such.
  'docs/reference/evidence.json': formatted(JSON.stringify(evidence), 'evidence.json'),
  'docs/reference/evidence.md': formatted(evidencePage(evidence)),
  'docs/reference/performance.md': formatted(performancePage()),
  'docs/reference/cli.md': formatted(await cliReference()),
  'docs/internals/architecture.md': architecturePage(pageOf('docs/internals/architecture.md'), root),
  'docs/internals/data.md': dataPage(pageOf('docs/internals/data.md'), root),
  ...fontFiles(),
};

const changed = Object.entries(files).filter(
  ([path, content]) => !current(path)?.equals(Buffer.from(content)),
);
if (process.argv.includes('--check')) {
  for (const [path] of changed) console.error(`${path} is out of date; npm run generate writes it anew`);
  process.exitCode = changed.length > 0 ? 1 : 0;
} else {
  for (const [path, content] of changed) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    console.log(`wrote ${path}`);
  }
}

function current(path: string): Buffer | null {
  try {
    return readFileSync(join(root, path));
  } catch {
    return null;
  }
}
