#!/usr/bin/env node
// Written so that a Node far too old for the rest can still say so.
import { existsSync } from 'node:fs';

var version = process.versions.node.split('.');
var major = Number(version[0]);
if (major < 24 || (major === 24 && Number(version[1]) < 7)) {
  console.error(
    'opentill needs Node.js 24.7 or newer, and this is ' +
      process.versions.node +
      '. Install a newer one; in a clone of the repository, npm ci and npm start bring their own.',
  );
  process.exit(1);
}
// A clone has the source, which Node.js runs as it is. A package has it compiled instead, see scripts/package.ts.
var source = new URL('../src/cli/main.ts', import.meta.url);
var compiled = new URL('../dist/cli/main.js', import.meta.url);
if (existsSync(source)) {
  import('./compile-cache.js')
    .then((cache) => {
      cache.keepCompiledCode();
      return import(source.href);
    })
    .then(run);
} else {
  import(compiled.href).then(run);
}

function run(cli) {
  return cli.main(process.argv.slice(2));
}
