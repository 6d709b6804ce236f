/** The authenticated part of the service, `/v3`: what all its operations have in common. */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import { tenantName } from '../checkout/tenant.ts';
import { type Admission, admitCallers } from './admission.ts';
import { principalOf } from './answer.ts';
import { parseBodies } from './body.ts';
import { fieldsError } from './errors.ts';
import { dropAbsent, longListProblem, nameNobody } from './input.ts';
import { loosenBorder } from './loose.ts';
import { refuseOtherMethods } from './methods.ts';
import { parameterError } from './parameters.ts';
import { sendInPieces } from './pieces.ts';
import { createTurns } from './turns.ts';

/** The part of the service that routes of the API are added to; schemas give the types of what they receive. */
export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Returns a function to call once all routes are there: it answers the methods that they do not have. */
export function prepareApi(api: FastifyInstance, admission: Admission): () => void {
  admitCallers(api, admission);
  parseBodies(api);
  api.addHook('preValidation', (request, _reply, done) => {
    if (request.routeOptions.config.optionalBody) request.body ??= {};
    const problem = longListProblem(request.body);
    if (problem) {
      done(fieldsError([problem]));
      return;
    }
    const { keepsNull, conditions } = request.routeOptions.config;
    if (!keepsNull) dropAbsent(request.body, conditions);
    dropAbsent(request.query, conditions);
    nameNobody(request.params);
    done(parameterError(request));
  });
  // Behind the hook above, so that it asks the store for nothing that no id can be.
  loosenBorder(api);
  // Behind the border, which may change what is sent.
  sendInPieces(api);
  const turns = createTurns();
  api.addHook('preHandler', (request, _reply, done) => {
    if ('lists' in request.routeOptions.config) turns(tenantName(principalOf(request).tenant), done);
    else done();
  });
  return refuseOtherMethods(api);
}
