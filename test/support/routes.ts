/** The routes that a service has, as its router knows them. */
import type { FastifyInstance } from 'fastify';

export type Route = { readonly method: string; readonly path: string };

/** Each method of each path, such as `/v3/checkout/:id`. */
export function routesOf(app: FastifyInstance): Route[] {
  const prefixes: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^([│ ]*)[├└]── (\S*)(.*)$/.exec(line) ?? [];
      prefixes.length = indent.length / 4;
      const path = (prefixes.at(-1) ?? '') + part;
      prefixes.push(path);
      return (/\((.*)\)/.exec(methods)?.[1]?.split(', ') ?? []).map((method) => ({ method, path }));
    });
}
