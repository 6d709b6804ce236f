/** Members: users with a role on the caller's account. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { emailKey } from '../../checkout/customer.ts';
import { newId } from '../../lib/id.ts';
import { linkAddress, newLink } from '../../users/links.ts';
import { representMember, representNewLink } from '../../users/representation.ts';
import { memberTag } from '../../users/tags.ts';
import { installation, roleOn, type User, type UserId } from '../../users/user.ts';
import { NO_SUCH_MEMBER, type UserCommand } from '../../users/user-commands.ts';
import type { Serialize, Value } from '../../writer/command.ts';
import type { Executed } from '../../writer/writer.ts';
import { conditionOf, JSON_TYPE, notFound, originOf, originOn, principalOf, sendResult } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { created, envelope, etagOf, success } from '../envelope.ts';
import { fieldsError } from '../errors.ts';
import { schemaProblems } from '../input.ts';
import { pageOf, sendList } from '../list.ts';
import { operation } from '../operation.ts';
import {
  inviteMemberBody,
  membersQuery,
  memberParams as params,
  updateMemberBody,
} from '../schemas/member.ts';

const tag = 'Members';
const permission = 'manage';

export function memberRoutes(api: Api, { store, execute, realNow, publicUrl }: Dependencies): void {
  /** Executes a command about the member, for the account of the caller. */
  const change = (
    request: FastifyRequest,
    id: UserId,
    command: UserCommand,
    serialize: Serialize<Value<'user'>>,
  ) =>
    execute(
      { subject: 'user', origin: originOn(installation, request), id, command, ...conditionOf(request) },
      serialize,
    );

  /** The version of a member, as headers tell it. */
  const versionOf = (user: User, account: number) => {
    const tag = memberTag(user, account);
    return tag === null ? {} : { etag: etagOf(tag) };
  };

  api.post(
    '/member',
    operation(
      {
        operation: 'MEMBER.INVITE',
        tag,
        permission,
        liveOnly: true,
        summary: 'Invite a member',
        description:
          'Answers with a link, which you send: whoever opens it chooses a password, and signs in. It is good for three days, and only this answer shows it: a repetition with the same idempotency key has null in its place, and a reset makes a new link. Whoever signs in to the service already, for another account, opens it signed in and joins.',
        statusCode: 201,
        answers: 'MemberWithLink',
        errors: ['user_exists', 'too_many_users'],
      },
      { body: inviteMemberBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const problems = schemaProblems(request);
      if (problems.length > 0) throw fieldsError(problems);
      const { account } = origin.tenant;
      const { role, name = '', email = '' } = request.body;
      const now = realNow();
      const id = newId('usr', now);
      const { link, secret } = newLink(now);
      const invite = { name, email: emailKey(email), account, role, link, now };
      const showing =
        (shown: string | null): Serialize<Pick<Value<'user'>, 'user'>> =>
        ({ user }) => {
          const url = shown === null ? null : linkAddress(publicUrl, id, shown);
          const data = JSON.stringify(representNewLink(user, account, url));
          return created('MEMBER.INVITE', data, `/v3/member/${user.id}`);
        };
      return sendOnce(
        reply,
        await change(request, id, { type: 'invite_user', id, ...invite }, showing(null)),
        showing(secret),
      );
    },
  );

  api.get(
    '/member',
    operation(
      {
        operation: 'MEMBER.LIST',
        tag,
        permission,
        summary: 'List members',
        description: 'All who have a role on the account, those who were invited last first.',
        lists: 'Member',
      },
      { querystring: membersQuery },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const page = pageOf(request.query);
      const { account } = principalOf(request).tenant;
      const { rows, hasMore } = await store.dashboardUsers.list(installation, { account }, page);
      const present = (user: User) => JSON.stringify(representMember(user, account));
      return sendList(reply, 'MEMBER.LIST', rows, present, { page, hasMore });
    },
  );

  api.get(
    '/member/:id',
    operation(
      {
        operation: 'MEMBER.FETCH',
        versioned: 'read',
        tag,
        permission,
        summary: 'Fetch a member',
        answers: 'Member',
      },
      { params },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const { account } = principalOf(request).tenant;
      const user = await store.dashboardUsers.fetch(request.params.id);
      if (user === null || roleOn(user, account) === undefined) throw notFound(NO_SUCH_MEMBER);
      const data = JSON.stringify(representMember(user, account));
      reply.headers(versionOf(user, account));
      return reply.type(JSON_TYPE).send(envelope('MEMBER.FETCH', data));
    },
  );

  api.put(
    '/member/:id',
    operation(
      {
        operation: 'MEMBER.UPDATE',
        versioned: 'change',
        tag,
        permission,
        liveOnly: true,
        summary: 'Change the role of a member',
        description: 'On this account, from now on. The last owner stays one.',
        answers: 'Member',
        errors: ['last_owner', 'version_stale'],
      },
      { params, body: updateMemberBody },
    ),
    async (request, reply) => {
      const { account } = originOf(request).tenant;
      const problems = schemaProblems(request);
      if (problems.length > 0) throw fieldsError(problems);
      const { role } = request.body;
      const command: UserCommand = { type: 'set_role', account, role, now: realNow() };
      const executed = await change(request, request.params.id, command, ({ user }) =>
        success('MEMBER.UPDATE', JSON.stringify(representMember(user, account)), versionOf(user, account)),
      );
      return sendResult(reply, executed);
    },
  );

  api.delete(
    '/member/:id',
    operation(
      {
        operation: 'MEMBER.DELETE',
        versioned: 'delete',
        tag,
        permission,
        liveOnly: true,
        noBody: true,
        summary: 'Remove a member',
        description:
          'Takes the role on this account: `deleted` is about the member. A user without a role on any account is deleted, and signed out at once, unless they operate the installation: `opentill users set-operator --off` on the machine of the service takes that. The last owner stays.',
        answers: 'Deleted',
        errors: ['last_owner', 'version_stale'],
      },
      { params },
    ),
    async (request, reply) => {
      const { account } = originOf(request).tenant;
      schemaProblems(request);
      const { id } = request.params;
      const deleted = { id, object: 'member', deleted: true };
      const executed = await change(request, id, { type: 'remove_role', account, now: realNow() }, () =>
        success('MEMBER.DELETE', JSON.stringify(deleted)),
      );
      return sendResult(reply, executed);
    },
  );

  api.post(
    '/member/:id/reset',
    operation(
      {
        operation: 'MEMBER.RESET',
        versioned: 'change',
        tag,
        permission,
        liveOnly: true,
        noBody: true,
        summary: 'Make a new link for a member',
        description:
          'For a member who cannot sign in, or whose invitation has expired. The link is good for three days, and replaces the one before; only this answer shows it, and a repetition with the same idempotency key has null in its place. The password stays as it is until the link is used. Whoever opens the link chooses a new password, has no second factor, no passkeys and no account of a provider afterwards, and is signed out everywhere else.',
        answers: 'MemberWithLink',
        errors: ['member_elsewhere', 'version_stale'],
      },
      { params },
    ),
    async (request, reply) => {
      const { account } = originOf(request).tenant;
      schemaProblems(request);
      const { id } = request.params;
      const now = realNow();
      const { link, secret } = newLink(now);
      const showing =
        (shown: string | null): Serialize<Pick<Value<'user'>, 'user'>> =>
        ({ user }) => {
          const url = shown === null ? null : linkAddress(publicUrl, id, shown);
          const data = JSON.stringify(representNewLink(user, account, url));
          return success('MEMBER.RESET', data, versionOf(user, account));
        };
      return sendOnce(
        reply,
        await change(request, id, { type: 'reset_user', account, link, now }, showing(null)),
        showing(secret),
      );
    },
  );
}

/** Sends the answer with the secret to the request that has made it. The one that is kept for a repetition lacks it. */
function sendOnce(
  reply: FastifyReply,
  executed: Executed<Value<'user'>>,
  showing: Serialize<Value<'user'>>,
): FastifyReply {
  const { result } = executed;
  return sendResult(
    reply,
    result.kind === 'change' ? { ...executed, answer: showing(result.value) } : executed,
  );
}
