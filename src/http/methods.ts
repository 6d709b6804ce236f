/** Methods that a path does not have: 405 with the list of those it has (RFC 9110 section 15.5.6). */
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { RequestError } from './errors.ts';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Collects the routes that are added from now on; the function it returns adds a refusal for every other method. */
export function refuseOtherMethods(api: FastifyInstance): () => void {
  const methodsOf = new Map<string, Set<string>>();
  api.addHook('onRoute', ({ url, method }) => {
    const methods = methodsOf.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    methodsOf.set(url, methods);
  });
  return () => {
    for (const [url, methods] of [...methodsOf]) {
      const allow = [...methods].sort().join(', ');
      const refuse = () => {
        throw new RequestError('method_not_allowed', [], { allow });
      };
      const missing = METHODS.filter((method) => !methods.has(method));
      // Refused before the body is read: its content does not matter.
      const route = { url: url.slice(api.prefix.length), onRequest: refuse, handler: refuse };
      api.route({ ...route, method: missing });
    }
  };
}
