/** The log of changes of the caller's account and mode, and that of the installation. */
import type { AuditEntry } from '../../accounts/audit.ts';
import { representAuditEntry } from '../../accounts/representation.ts';
import { withoutUndefined } from '../../lib/keys.ts';
import type { AuditFilter } from '../../store/store.ts';
import { installation } from '../../users/user.ts';
import { principalOf } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { schemaProblems } from '../input.ts';
import { pageOf, sendList } from '../list.ts';
import { operation } from '../operation.ts';
import { type AuditQuery, auditQuery } from '../schemas/audit.ts';
import { timeOf } from '../schemas/fields.ts';

export function auditRoutes(api: Api, { store }: Dependencies): void {
  api.get(
    '/audit',
    operation(
      {
        operation: 'AUDIT.LIST',
        tag: 'Account',
        permission: 'manage',
        summary: 'List changes',
        description:
          'Every change of the account and mode, with who made it: newest first. Changes of members are in the log of live mode. Entries are never removed. An entry must match all filters. A request with filters looks at 5,000 entries and no more: its page may be short or empty while `has_more` is true, and `next_cursor` goes on from there.',
        lists: 'AuditEntry',
      },
      { querystring: auditQuery },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const page = pageOf(request.query);
      const { tenant } = principalOf(request);
      const { rows, ...rest } = await store.audit.list(tenant, filterOf(request.query), page);
      return sendList(reply, 'AUDIT.LIST', rows, present, { page, ...rest });
    },
  );

  api.get(
    '/installation_audit',
    operation(
      {
        operation: 'INSTALLATION_AUDIT.LIST',
        tag: 'Installation',
        permission: 'accounts',
        liveOnly: true,
        summary: 'List changes of the installation',
        description:
          'What concerns no single account, or users of several: accounts that were made, members and operators, sign-ins, and those that were refused to somebody who is a user. Newest first, with the same filters and bounds as the log of an account.',
        lists: 'AuditEntry',
      },
      { querystring: auditQuery },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const page = pageOf(request.query);
      const { rows, ...rest } = await store.audit.list(installation, filterOf(request.query), page);
      return sendList(reply, 'INSTALLATION_AUDIT.LIST', rows, present, { page, ...rest });
    },
  );
}

const present = (entry: AuditEntry) => JSON.stringify(representAuditEntry(entry));

function filterOf({ subject, actor, action, request_id: requestId, ...times }: AuditQuery): AuditFilter {
  const createdFrom = timeOf(times['created_at[gte]']);
  const createdBefore = timeOf(times['created_at[lt]']);
  return withoutUndefined({ subject, actor, action, requestId, createdFrom, createdBefore });
}
