/** Accounts of the installation, for those who operate it. Of its own account a key with `manage` has the settings. */
import { type Account, newAccount } from '../../accounts/account.ts';
import type { AccountCommand } from '../../accounts/account-changes.ts';
import { representAccount, representNewAccount } from '../../accounts/representation.ts';
import { accountTag } from '../../accounts/tags.ts';
import { newId } from '../../lib/id.ts';
import type { Page, PageRequest } from '../../store/page.ts';
import { linkAddress, newLink } from '../../users/links.ts';
import { installation, isUserId } from '../../users/user.ts';
import type { Serialize, Value } from '../../writer/command.ts';
import { conditionOf, JSON_TYPE, notFound, originOn, principalOf, sendResult } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { created, envelope, etagOf, success } from '../envelope.ts';
import { fieldsError } from '../errors.ts';
import { schemaProblems } from '../input.ts';
import { pageOf, sendList } from '../list.ts';
import { operation } from '../operation.ts';
import { accountBody, accountsQuery, accountParams as params } from '../schemas/account.ts';

const tag = 'Installation';
const permission = 'accounts';

export function accountRoutes(api: Api, { store, execute, now, realNow, publicUrl }: Dependencies): void {
  async function existing(id: string): Promise<Account> {
    const account = /^[1-9]\d{0,14}$/.test(id) ? await store.accounts.fetch(Number(id)) : null;
    if (account === null) throw notFound('There is no such account.');
    return account;
  }

  api.post(
    '/account',
    operation(
      {
        operation: 'ACCOUNT.CREATE',
        tag,
        permission,
        liveOnly: true,
        summary: 'Create an account',
        description:
          'With its own sessions, keys, members and settings. The answer has a link for its owner, who chooses a password and signs in: send it on a way that nobody else reads. The link is good for three days. Only this answer shows it, and the secrets of webhooks to the addresses of sessions: a repetition with the same idempotency key creates nothing, and has null in their place. Keys for the account are made by its owner, or on the command line. An installation can have 2,000 accounts, and none is ever removed.',
        statusCode: 201,
        answers: 'NewAccount',
        errors: ['too_many_accounts', 'too_many_users'],
      },
      { body: accountBody },
    ),
    async (request, reply) => {
      const origin = originOn(installation, request);
      const problems = schemaProblems(request);
      if (problems.length > 0) throw fieldsError(problems);
      const time = realNow();
      const { link, secret } = newLink(time);
      const { keyId } = principalOf(request);
      const asker = isUserId(keyId) ? keyId : null;
      const owner = asker === null ? { invited: newId('usr', time), link } : { user: asker };
      const account = newAccount(request.body.name);
      const showing =
        (isFirst: boolean): Serialize<Value<'new_account'>> =>
        (value) => {
          const ownerUrl = asker === null ? linkAddress(publicUrl, value.owner.id, secret) : null;
          const shown = isFirst ? { ownerUrl, webhookSecrets: account.webhookSecrets } : null;
          const data = JSON.stringify(representNewAccount(value.account, value.owner.id, shown));
          return created('ACCOUNT.CREATE', data, `/v3/account/${value.account.number}`);
        };
      const executed = await execute(
        { subject: 'new_account', origin, account, owner, now: time },
        // The answer that is kept for a repetition must not have the secrets.
        showing(false),
      );
      const { result } = executed;
      return sendResult(
        reply,
        result.kind === 'change' ? { ...executed, answer: showing(true)(result.value) } : executed,
      );
    },
  );

  api.get(
    '/account',
    operation(
      {
        operation: 'ACCOUNT.LIST',
        tag,
        permission,
        liveOnly: true,
        summary: 'List accounts',
        description:
          'All accounts of the installation, newest first. One that another instance has just created is in the list within a second.',
        lists: 'Account',
      },
      { querystring: accountsQuery },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const page = pageOf(request.query);
      const { rows, hasMore } = pageIn(await store.accounts.list(), page);
      const present = (account: ReturnType<typeof representAccount>) => JSON.stringify(account);
      return sendList(reply, 'ACCOUNT.LIST', rows.map(representAccount), present, { page, hasMore });
    },
  );

  api.get(
    '/account/:id',
    operation(
      {
        ...{ operation: 'ACCOUNT.FETCH', versioned: 'read', tag, permission, liveOnly: true },
        summary: 'Fetch an account',
        answers: 'Account',
      },
      { params },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const account = await existing(request.params.id);
      const data = JSON.stringify(representAccount(account));
      reply.header('etag', etagOf(accountTag(account)));
      return reply.type(JSON_TYPE).send(envelope('ACCOUNT.FETCH', data));
    },
  );

  api.put(
    '/account/:id',
    operation(
      {
        operation: 'ACCOUNT.UPDATE',
        versioned: 'change',
        tag,
        permission,
        liveOnly: true,
        summary: 'Rename an account',
        description:
          'Payers see the new name at once where the instance that answers serves them, and within a second elsewhere. The change stands in the log of the account. A key with `manage` renames its own account by its settings.',
        answers: 'Account',
        errors: ['version_stale'],
      },
      { params, body: accountBody },
    ),
    async (request, reply) => {
      const { number } = await existing(request.params.id);
      const problems = schemaProblems(request);
      if (problems.length > 0) throw fieldsError(problems);
      const tenant = { account: number, mode: 'live' } as const;
      const command: AccountCommand = { type: 'rename_account', name: request.body.name };
      const executed = await execute(
        {
          ...{ subject: 'account', origin: originOn(tenant, request), command },
          ...{ now: await now(tenant), ...conditionOf(request) },
        },
        ({ after }) => {
          const etag = etagOf(accountTag(after));
          return success('ACCOUNT.UPDATE', JSON.stringify(representAccount(after)), { etag });
        },
      );
      return sendResult(reply, executed);
    },
  );
}

/** A page of accounts, newest first, of all in the order of their numbers: every process has them in memory. */
function pageIn(accounts: readonly Account[], { limit, after, before }: PageRequest): Page<Account> {
  if (before !== undefined) {
    const newer = accounts.filter(({ number }) => number > Number(before));
    return { rows: newer.slice(0, limit).toReversed(), hasMore: newer.length > limit };
  }
  const older = accounts.filter(({ number }) => after === undefined || number < Number(after)).toReversed();
  return { rows: older.slice(0, limit), hasMore: older.length > limit };
}
