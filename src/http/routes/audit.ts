/** The log of changes of the caller's account and mode. */
import type { AuditEntry } from '../../accounts/audit.ts';
import { representAuditEntry } from '../../accounts/representation.ts';
import { Type } from '../../lib/json-schema.ts';
import { principalOf } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { schemaProblems } from '../input.ts';
import { pageOf, sendList } from '../list.ts';
import { operation } from '../operation.ts';
import { pageQuery } from '../schemas/checkout.ts';

const query = Type.Object(pageQuery('aud'), { additionalProperties: false });

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
          'Every change of the account and mode, with who made it: newest first. Entries are never removed.',
        lists: 'AuditEntry',
      },
      { querystring: query },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const page = pageOf(request.query);
      const { rows, hasMore } = await store.audit.list(principalOf(request).tenant, page);
      const present = (entry: AuditEntry) => JSON.stringify(representAuditEntry(entry));
      return sendList(reply, 'AUDIT.LIST', rows, present, { page, hasMore });
    },
  );
}
