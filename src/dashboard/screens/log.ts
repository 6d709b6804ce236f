/** The log of changes of an account and mode, and that of the installation. */
import { actorsOf, usersNamed } from '../actors.ts';
import { type AuditEntry, auditFilters, auditList } from '../audit-list.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { queryOf } from '../listing.ts';
import { refused } from '../outcome.ts';
import { pathIn } from '../place.ts';
import { requestLink } from '../request-texts.ts';
import type { Declare } from '../screen.ts';

export function logScreens(declare: Declare, dependencies: DashboardDependencies): void {
  const { basePath } = dependencies;
  declare(
    { method: 'GET', path: '/:account/:mode/log', needs: { operation: 'AUDIT.LIST' } },
    async ({ api, place, query }) => {
      const answer = await api.get<readonly AuditEntry[]>(`/v3/audit${queryOf(auditFilters, query)}`);
      if (!answer.ok && answer.status !== 400) return refused(answer.status, answer.mistakes);
      const title = 'Log of changes';
      return {
        status: answer.ok ? 200 : 422,
        title,
        current: 'log',
        main: auditList(answer, {
          label: title,
          here: `${basePath}${pathIn(place.tenant, 'log')}`,
          query,
          hint: 'By an id of a user or of an API key; or by payer, time, rail or operator. What changed by its id. Changes of members are in the log of live mode.',
          nameOf: await actorsOf(dependencies, place),
          requestOf: (id) => requestLink(id, { place, basePath }),
        }),
      };
    },
  );

  declare(
    { method: 'GET', path: '/installation-log', needs: { installation: 'INSTALLATION_AUDIT.LIST' } },
    async ({ api, query }) => {
      const url = `/v3/installation_audit${queryOf(auditFilters, query)}`;
      const answer = await api.get<readonly AuditEntry[]>(url);
      if (!answer.ok && answer.status !== 400) return refused(answer.status, answer.mistakes);
      const entries = answer.ok ? answer.data : [];
      const title = 'Log of the installation';
      return {
        status: answer.ok ? 200 : 422,
        title,
        current: 'installation-log',
        main: auditList(answer, {
          label: title,
          here: `${basePath}/dashboard/installation-log`,
          query,
          hint: 'Accounts that were created, members and operators, and sign-ins with those that were refused. By an id of a user or of an API key, or by operator for the command line.',
          nameOf: await usersNamed(
            dependencies,
            entries.flatMap(({ actor, subject }) => [actor, subject]),
          ),
        }),
      };
    },
  );
}
