/**
 * `node:http` as it is. An import of it reads all that it exports, and so loads the client behind `fetch`, which is
 * not used here: 15 MB, and 30 ms of each start.
 */
export const http = process.getBuiltinModule('node:http');
