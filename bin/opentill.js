#!/usr/bin/env node
// Written so that a Node far too old for the rest can still say so.
var major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  console.error(
    'opentill needs Node.js 24 or newer, and this is ' +
      process.versions.node +
      '. Run it with npm (npm ci, then npm start): that brings its own Node.js.',
  );
  process.exit(1);
}
import('../src/cli/main.ts').then((cli) => cli.main(process.argv.slice(2)));
