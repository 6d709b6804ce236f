/** The logo of the caller's account and mode, which its payers see. */
import { type AccountCommand, NO_LOGO } from '../../accounts/account-changes.ts';
import {
  logoBytes,
  logoFacts,
  logoTypes,
  MAX_LOGO_BYTES,
  MAX_LOGO_PIXELS,
  readLogo,
} from '../../accounts/logo.ts';
import { representLogo } from '../../accounts/representation.ts';
import { logoTag } from '../../accounts/tags.ts';
import { conditionOf, notFound, originOf, principalOf, sendResult } from '../answer.ts';
import type { Api } from '../api.ts';
import { mediaTypeOf } from '../body.ts';
import type { Dependencies } from '../dependencies.ts';
import { created, etagOf, success } from '../envelope.ts';
import { fieldsError } from '../errors.ts';
import { operation } from '../operation.ts';

const tag = 'Account';
const permission = 'manage';

export function logoRoutes(api: Api, { store, execute, now }: Dependencies): void {
  api.put(
    '/logo',
    operation(
      {
        operation: 'LOGO.SET',
        versioned: 'change',
        tag,
        permission,
        upload: logoTypes,
        keepsNull: true,
        creates: true,
        summary: 'Create or replace the logo',
        description: `Payers see it on the page of a session, beside the name of the account, and at the top of receipts and invoices. The body is a PNG or JPEG image of at most 64 KiB and ${MAX_LOGO_PIXELS} × ${MAX_LOGO_PIXELS} pixels, without animation and with nothing behind its end. Each mode has its own.`,
        answers: 'Logo',
        errors: ['field_invalid', 'too_large', 'unsupported_media_type', 'key_reused', 'version_stale'],
      },
      {},
    ),
    async (request, reply) => {
      const origin = originOf(request);
      // A request without a body has no bytes.
      const bytes = request.bodyBytes ?? Buffer.alloc(0);
      const logo = readLogo(bytes, mediaTypeOf(request));
      if ('problems' in logo) {
        const reason = bytes.length > MAX_LOGO_BYTES ? 'too_large' : 'field_invalid';
        throw fieldsError(logo.problems, reason);
      }
      const command: AccountCommand = { type: 'set_logo', logo };
      const executed = await execute(
        { subject: 'account', origin, command, now: await now(origin.tenant), ...conditionOf(request) },
        ({ before }) => {
          const data = JSON.stringify(representLogo(logo));
          const headers = { etag: etagOf(logoTag(logo.name)) };
          return before.logos[origin.tenant.mode] === null
            ? created('LOGO.SET', data, '/v3/logo', headers)
            : success('LOGO.SET', data, headers);
        },
      );
      return sendResult(reply, executed);
    },
  );

  api.get(
    '/logo',
    operation(
      {
        operation: 'LOGO.FETCH',
        versioned: 'read',
        tag,
        permission,
        summary: 'Fetch the logo',
        description: 'Answers with the image as it was sent.',
        downloads: logoTypes,
        errors: ['not_found'],
      },
      {},
    ),
    async (request, reply) => {
      const logo = await store.logos.fetch(principalOf(request).tenant);
      if (logo === null) throw notFound(NO_LOGO);
      reply.header('etag', etagOf(logoTag(logo.name)));
      return reply.type(logoFacts(logo.name).type).send(logoBytes(logo));
    },
  );

  api.delete(
    '/logo',
    operation(
      {
        operation: 'LOGO.DELETE',
        versioned: 'delete',
        tag,
        permission,
        noBody: true,
        statusCode: 204,
        summary: 'Delete the logo',
        description: 'Payers see the first letter of the name of the account again.',
        answers: null,
        errors: ['not_found', 'version_stale'],
      },
      {},
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const executed = await execute(
        {
          subject: 'account',
          origin,
          command: { type: 'remove_logo' },
          now: await now(origin.tenant),
          ...conditionOf(request),
        },
        () => ({ statusCode: 204, headers: {}, body: '' }),
      );
      return sendResult(reply, executed);
    },
  );
}
