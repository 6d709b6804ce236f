/** How rows of large rooms begin: a file of the room, and the tests that are expected to find what is wrong there. */

export const sqlite = (file: string, ...tests: readonly string[]) => ({
  file: `src/store/${file}.ts`,
  tests: tests.map((name) => `test/${name}.test.ts`),
});

export const postgres = (file: string, ...tests: readonly string[]) => ({
  ...sqlite(file, ...tests),
  withPostgres: true,
});

export const http = (file: string, ...tests: readonly string[]) => ({
  file: `src/http/${file}.ts`,
  tests: tests.map((name) => `test/api/${name}.test.ts`),
});
