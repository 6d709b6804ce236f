/** The log of changes of the caller's account and mode. */
import type { AuditEntry } from '../../accounts/audit.ts';
import { representAuditEntry } from '../../accounts/representation.ts';
import { withoutUndefined } from '../../lib/keys.ts';
import type { AuditFilter } from '../../store/store.ts';
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
          'Every change of the account and mode, but for those of its members, who are of the whole installation, with who made it: newest first. Entries are never removed. An entry must match all filters. A request with filters looks at 5,000 entries and no more: its page may be short or empty while `has_more` is true, and `next_cursor` goes on from there.',
        lists: 'AuditEntry',
      },
      { querystring: auditQuery },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const page = pageOf(request.query);
      const { tenant } = principalOf(request);
      const { rows, ...rest } = await store.audit.list(tenant, filterOf(request.query), page);
      const present = (entry: AuditEntry) => JSON.stringify(representAuditEntry(entry));
      return sendList(reply, 'AUDIT.LIST', rows, present, { page, ...rest });
    },
  );
}

function filterOf({ subject, actor, action, ...times }: AuditQuery): AuditFilter {
  const createdFrom = timeOf(times['created_at[gte]']);
  const createdBefore = timeOf(times['created_at[lt]']);
  return withoutUndefined({ subject, actor, action, createdFrom, createdBefore });
}
