/** Declaration of what the dashboard answers: screens, and the actions of their forms. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GeneratedReadable } from '../lib/generated-readable.ts';
import { StoreUnavailable } from '../store/errors.ts';
import { operatorRights } from '../users/roles.ts';
import { installation } from '../users/user.ts';
import { type ApiAnswer, type ApiCaller, type ApiRefusal, apiFor } from './api.ts';
import { confirmIn, type Proof } from './confirm.ts';
import { clearCookie } from './cookie.ts';
import type { DashboardDependencies } from './dependencies.ts';
import { documentOf } from './document.ts';
import { type Form, formOf, repeatedIn } from './form.ts';
import { noticeOf } from './notices.ts';
import { notFound, type Outcome } from './outcome.ts';
import { type Place, placeOf } from './place.ts';
import { signedOutScreen } from './sign-in-forms.ts';
import { leaveRest, type Upload, uploadIn } from './upload.ts';
import { anyVisitor, hasFormToken, type Visitor, visitorOf } from './visitor.ts';

/** Demands on who comes: none, a sign-in, or the right to an operation of the API on the account of the path. */
export type Needs =
  | 'nothing'
  | 'sign-in'
  /** The same, who proves anew who they are, unless they did so lately: for their own second factor and roles. */
  | 'own-confirmed'
  | {
      readonly operation: string;
      /** Set for what moves money, keys or people: the visitor proves anew who they are, unless they did so lately. */
      readonly confirmed?: true;
    }
  /** The right to an operation on the whole installation, which its operators have. */
  | { readonly installation: string; readonly confirmed?: true };

export type Declared = {
  readonly method: 'GET' | 'POST';
  /** Below `/dashboard`. */
  readonly path: string;
  readonly needs: Needs;
  /** Set for a form that may bring a file. */
  readonly upload?: true;
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set for routes of the dashboard. */
    screen?: Declared;
  }
}

/** Calls back with each screen and action that is added to the app, or to a part of it, from now on. */
export function onScreens(app: FastifyInstance, declared: (screen: Declared) => void): void {
  app.addHook('onRoute', ({ method, config }) => {
    if (config?.screen !== undefined && method !== 'HEAD') declared(config.screen);
  });
}

type Common = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly form: Form;
  /** The file of a form, to be read or left. */
  readonly file: Upload | null;
  readonly query: Form;
  readonly params: Form;
};

/** A request of somebody who is signed in. */
export type OwnVisit = Common & { readonly visitor: Visitor };

/** A request about an account and mode. */
export type Visit = OwnVisit & {
  readonly place: Place;
  readonly api: ApiCaller;
  /** The API for live mode, which alone changes what both modes have. */
  readonly live: ApiCaller;
  /** That for test mode, which shows whether an account has been tried. */
  readonly test: ApiCaller;
  /**
   * The API for an answer that takes long: for each question it is looked up anew who is signed in, and what they may.
   * A visitor who no longer may do the operation of the screen gets 403.
   */
  readonly anew: Pick<ApiCaller, 'get' | 'pieces'>;
};

/** A request of an operator about the installation. */
export type InstallationVisit = OwnVisit & { readonly api: ApiCaller };

type VisitOf<N extends Needs> = N extends 'nothing'
  ? Common
  : N extends string
    ? OwnVisit
    : N extends { readonly installation: string }
      ? InstallationVisit
      : Visit;

export type Declare = <N extends Needs>(
  declared: Omit<Declared, 'needs'> & { readonly needs: N },
  respond: (visit: VisitOf<N>) => Promise<Outcome> | Outcome,
) => void;

/** A function that adds screens to the dashboard. */
export function declareOn(app: FastifyInstance, dependencies: DashboardDependencies): Declare {
  const { basePath, mayDo } = dependencies;

  function send(
    reply: FastifyReply,
    outcome: Outcome,
    visit: Partial<Visit> & Pick<Common, 'request' | 'query'>,
  ): FastifyReply {
    if ('goTo' in outcome) {
      const { goTo, done } = outcome;
      const query = done === undefined ? '' : `${goTo.includes('?') ? '&' : '?'}done=${done}`;
      return reply.code(303).header('location', `${basePath}/dashboard${goTo}${query}`).send();
    }
    if ('away' in outcome) return reply.code(303).header('location', outcome.away).send();
    if ('file' in outcome) {
      const { name, type, content } = outcome.file;
      reply.header('content-disposition', `attachment; filename="${name}"`).type(type);
      // Nobody reads it: Fastify would make the whole file and throw it away.
      if (visit.request.method === 'HEAD') return reply.send('');
      return reply.send(new GeneratedReadable(content));
    }
    const { visitor = null, place = null, query } = visit;
    const { status = 200, ...screen } = outcome;
    const page = documentOf({ ...screen, visitor, place, notice: noticeOf(query.done) }, basePath);
    return reply.code(status).type('text/html; charset=utf-8').send(page);
  }

  /** Asks who somebody is, unless that is known. */
  const proofOf = async (visit: OwnVisit): Promise<Proof> =>
    visit.visitor.isConfirmed ? { visitor: visit.visitor } : confirmIn(dependencies, visit);

  const apiOf = (
    { request, visitor }: OwnVisit,
    { rights, tenant }: Pick<Place, 'rights' | 'tenant'>,
    mode = tenant.mode,
  ): ApiCaller =>
    apiFor({
      ask: dependencies.ask,
      user: visitor.user.id,
      rights,
      requestId: request.id,
      tenant: { ...tenant, mode },
    });

  async function askAnew<A>(
    common: Common,
    operation: string,
    ask: (api: ApiCaller) => Promise<A>,
  ): Promise<A | ApiRefusal> {
    try {
      const visitor = await visitorOf(dependencies, common.request);
      const place = visitor && (await placeOf(dependencies, visitor, common.params));
      if (visitor === null || !place?.may(operation)) return { ok: false, status: 403, mistakes: [] };
      return await ask(apiOf({ ...common, visitor }, place));
    } catch (error) {
      if (error instanceof StoreUnavailable) return { ok: false, status: 503, mistakes: [] };
      throw error;
    }
  }

  return (declared, respond) => {
    const { method, path } = declared;
    const needs: Needs = declared.needs;
    const confirmed = needs === 'own-confirmed' || (typeof needs === 'object' && needs.confirmed === true);

    async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      if (declared.upload === undefined) return answerWith(null, request, reply);
      try {
        return await answerWith(await uploadIn(request), request, reply);
      } finally {
        leaveRest(request);
      }
    }

    async function answerWith(
      file: Upload | null,
      request: FastifyRequest,
      reply: FastifyReply,
    ): Promise<FastifyReply> {
      const common: Common = {
        request,
        reply,
        form: formOf(request.body),
        file,
        query: formOf(request.query),
        params: formOf(request.params),
      };
      const repeated = [...repeatedIn(request.body), ...repeatedIn(request.query)];
      if (repeated.length > 0) return send(reply, ambiguous(repeated), common);
      // The type follows from what is declared, which the compiler cannot see.
      const given = async (visit: Common | OwnVisit | InstallationVisit | Visit) =>
        send(reply, await respond(visit as Parameters<typeof respond>[0]), visit);
      /** Goes on with whoever has proved who they are, where that is needed. */
      const proven = async <V extends OwnVisit>(visit: V) => {
        const proof = confirmed ? await proofOf(visit) : visit;
        return 'outcome' in proof
          ? send(reply, proof.outcome, visit)
          : given({ ...visit, visitor: proof.visitor });
      };
      if (needs === 'nothing') return given(common);
      const visitor = await visitorOf(dependencies, request);
      if (visitor === null) {
        // Half a sign-in goes on in another window.
        if ((await anyVisitor(dependencies, request)) === null) clearCookie(reply);
        return send(reply, await signedOutScreen(dependencies, request, common.form), common);
      }
      const own: OwnVisit = { ...common, visitor };
      if (method === 'POST' && !hasFormToken(request, visitor)) return send(reply, outdated, own);
      if (typeof needs === 'string') return proven(own);
      if ('installation' in needs) {
        const isAllowed = visitor.user.isOperator === true && mayDo(operatorRights, needs.installation);
        if (!isAllowed) return send(reply, forOperators, own);
        return proven({ ...own, api: apiOf(own, { rights: operatorRights, tenant: installation }) });
      }
      const { operation } = needs;
      const place = await placeOf(dependencies, visitor, common.params);
      if (place === null) return send(reply, notFound, own);
      const api = apiOf(own, place);
      const live = apiOf(own, place, 'live');
      const test = apiOf(own, place, 'test');
      const visit: Visit = {
        ...own,
        place,
        api,
        live,
        test,
        anew: {
          get: <T>(url: string) => askAnew<ApiAnswer<T>>(common, operation, (api) => api.get(url)),
          pieces: (url) => askAnew(common, operation, (api) => api.pieces(url)),
        },
      };
      if (!place.may(operation)) return send(reply, forbidden(place), visit);
      return proven(visit);
    }

    // A file has the pace of uploads.
    const config = { screen: declared, ...(declared.upload && { upload: true as const }) };
    app.route({ method, url: `/dashboard${path}`, config, handler: answer });
  };
}

/** Limits of what is told of fields that were sent wrongly. */
const MAX_NAMES = 5;
const MAX_NAME_LENGTH = 64;

const ambiguous = (names: readonly string[]): Outcome => ({
  status: 400,
  title: 'The form cannot be read',
  main: `${names
    .slice(0, MAX_NAMES)
    .map((name) => name.slice(0, MAX_NAME_LENGTH))
    .join(', ')} came more than once. Nothing was changed.`,
});

const outdated: Outcome = {
  status: 403,
  title: 'The form is out of date',
  main: 'Nothing was changed. Go back, load the page again, and send the form once more.',
};

const forOperators: Outcome = {
  status: 403,
  title: 'This is for operators',
  main: 'Operators of the installation are made on the command line of the machine: opentill users set-operator.',
};

const forbidden = ({ role }: Place): Outcome => ({
  status: 403,
  title: 'Your role does not allow this',
  main: `Your role on this account is ${role.replace('_', ' ')}. An owner can change it.`,
});
