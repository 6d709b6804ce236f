/** Declaration of an operation of the API: its name, who may call it, what it accepts and every answer it has. */
import type { FastifyInstance } from 'fastify';
import type { Permission } from '../accounts/api-key.ts';
import type { TSchema } from '../lib/json-schema.ts';
import type { Rights } from '../users/roles.ts';
import type { ErrorReason } from './error-table.ts';
import type { CurrencyOf } from './loose.ts';
import type { ResourceName } from './schemas/answers.ts';

/**
 * The success of an operation: one resource, a page of a list of them, bytes of one of these types instead of JSON, or
 * nothing, with status 204.
 */
type Answers =
  | { readonly answers: ResourceName | null }
  | { readonly lists: ResourceName }
  | { readonly downloads: readonly string[] };

export type Declaration = Answers & {
  /** As messages name it: `CHECKOUT.UPDATE`. */
  readonly operation: string;
  /** The group of the reference in which it stands. */
  readonly tag: string;
  /** Permission that the API key needs. */
  readonly permission: Permission;
  /** Accepts no body, an empty one and `{}`, whatever the content type says. */
  readonly noBody?: boolean;
  /** True if the body may be absent, which is the same as `{}`. */
  readonly optionalBody?: boolean;
  /** Has a body and changes nothing: a repetition is answered anew, and no key is looked at. */
  readonly onlyReads?: boolean;
  /** Null and empty texts in the body have a meaning of their own, and do not count as absent fields. */
  readonly keepsNull?: boolean;
  /** Fields of the body or of the query that say what a decision was made on: an empty one is refused, not absent. */
  readonly conditions?: readonly string[];
  /** Makes what the path names if it does not exist, and answers with 201 then. */
  readonly creates?: boolean;
  /** Currency of the amounts in a request, for those whose unit depends on it. */
  readonly currencyOf?: CurrencyOf;
  /** Only for keys of test mode. */
  readonly testOnly?: boolean;
  /** Only for keys of live mode: it changes what is of both modes. */
  readonly liveOnly?: boolean;
  /** The body is a file: of any type, read by the handler, or of one of these and no longer than other bodies. */
  readonly upload?: true | readonly string[];
  readonly summary: string;
  readonly description?: string;
  /** Differences for accounts with `compatibility` v3, beside those of all operations. */
  readonly inV3?: string;
  readonly statusCode?: number;
  /**
   * The answer has the version of what it is about as its ETag; a change may name the version it is for, a fetch the one
   * known. A deletion may name the version as well, and leaves none.
   */
  readonly versioned?: 'create' | 'read' | 'change' | 'delete' | 'fetch';
  /** Also answers with a stream of server-sent events; this says what is in it. */
  readonly eventStream?: { readonly description: string; readonly example: string };
  /** Beside those that follow from what the route accepts. */
  readonly errors?: readonly ErrorReason[];
};

export type Accepted = { readonly params?: TSchema; readonly querystring?: TSchema; readonly body?: TSchema };

declare module 'fastify' {
  interface FastifyContextConfig extends Partial<Omit<Declaration, 'tag' | 'summary' | 'description'>> {
    downloads?: readonly string[];
  }
}

/** The options of its route. What an operation answers is described in `openapi.json`, which is made from these. */
export function operation<A extends Accepted>(declaration: Declaration, accepted: A) {
  return {
    config: declaration,
    // Routes report what the schema finds together with what only they can see.
    attachValidation: true,
    schema: accepted,
  };
}

/** An operation as it was added to the app. */
export type DeclaredOperation = {
  readonly method: string;
  /** Path of the route: `/v3/checkout/:id`. */
  readonly url: string;
  readonly declaration: Declaration;
  readonly accepted: Accepted;
};

declare module 'fastify' {
  interface FastifyInstance {
    /** Operations in the order in which they were added; `openapi.json` is generated from them. */
    operations: readonly DeclaredOperation[];
  }
}

/** Collects the operations that are added to the app from now on. */
export function collectOperations(app: FastifyInstance): void {
  const operations: DeclaredOperation[] = [];
  app.decorate('operations', operations);
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    if (config === undefined || !isDeclaration(config) || method === 'HEAD') return;
    operations.push({
      method: String(method),
      url,
      declaration: config,
      accepted: schema as Accepted,
    });
  });
}

function isDeclaration(config: object): config is Declaration {
  return 'summary' in config;
}

/** True if these rights are enough for the operation, as its admission decides. */
export function mayDo(operations: readonly DeclaredOperation[], rights: Rights, name: string): boolean {
  const found = operations.find(({ declaration }) => declaration.operation === name);
  if (found === undefined) throw new Error(`there is no operation ${name}`);
  return suffices(rights, found.declaration);
}

/** True if a caller with these rights may do what needs a permission, or has a name. */
export const suffices = (
  { permissions, operations }: Rights,
  { permission, operation = '' }: { readonly permission?: Permission; readonly operation?: string },
): boolean => permission === undefined || permissions.includes(permission) || operations.includes(operation);
