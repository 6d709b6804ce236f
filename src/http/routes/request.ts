/** The log of requests of the caller's account and mode. */
import type { RequestEntry } from '../../accounts/request-log.ts';
import { MOST_REQUESTS, REQUEST_LOG_DAYS } from '../../accounts/request-log.ts';
import { withoutUndefined } from '../../lib/keys.ts';
import type { RequestFilter } from '../../store/store.ts';
import { principalOf } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { schemaProblems } from '../input.ts';
import { pageOf, sendList } from '../list.ts';
import { operation } from '../operation.ts';
import { representRequest } from '../request-representation.ts';
import { timeOf } from '../schemas/fields.ts';
import { type RequestQuery, requestQuery } from '../schemas/request.ts';

export function requestRoutes(api: Api, { store }: Pick<Dependencies, 'store'>): void {
  api.get(
    '/request',
    operation(
      {
        operation: 'REQUEST.LIST',
        tag: 'Account',
        permission: 'manage',
        summary: 'List requests',
        description: `Requests for changes, and those that were refused: newest first, by real time in both modes. Not in the log are successful reads, requests without valid credentials, and paths that no operation has. Entries are kept for ${REQUEST_LOG_DAYS} days, the newest ${MOST_REQUESTS.toLocaleString('en')} of them, and are usually there a second after the answer. They have no bodies, no values of fields and no addresses. An entry must match all filters.`,
        lists: 'Request',
      },
      { querystring: requestQuery },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const page = pageOf(request.query);
      const { tenant } = principalOf(request);
      const { rows, hasMore } = await store.requestLog.list(tenant, filterOf(request.query), page);
      return sendList(reply, 'REQUEST.LIST', rows, present, { page, hasMore });
    },
  );
}

const present = (entry: RequestEntry) => JSON.stringify(representRequest(entry));

function filterOf({ request_id, subject, actor, operation, status, ...times }: RequestQuery): RequestFilter {
  return withoutUndefined({
    requestId: request_id,
    subject,
    actor,
    operation,
    status: status === undefined ? undefined : statusesOf(status),
    createdFrom: timeOf(times['created_at[gte]']),
    createdBefore: timeOf(times['created_at[lt]']),
  });
}

/** A status by itself, or all that begin with the same digit. */
const statusesOf = (status: string): readonly [number, number] => [
  Number(status.replace('xx', '00')),
  Number(status.replace('xx', '99')),
];
