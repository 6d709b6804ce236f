import { databaseCommand } from '../../declare/access.ts';
import { listOf } from '../../declare/json.ts';
import { operatorKeys, shownOperator } from '../../members/operators.ts';
import { printable } from '../../printable.ts';

const PAGE = 100;

export const command = databaseCommand({
  purpose: 'List the operators of the installation.',
  json: listOf(operatorKeys),
  examples: [['opentill users operators', 'All who may create accounts in the dashboard']],
  async run(_input, { store, output }) {
    let isEmpty = true;
    for (let cursor = {}; ; ) {
      const { rows, hasMore } = await store.dashboardUsers.listOperators({ limit: PAGE, ...cursor });
      for (const user of rows) {
        const { id, name, email, status } = shownOperator(user);
        output.record(
          shownOperator(user),
          [id, printable(email) || '-', printable(name) || '-', status].join('  '),
        );
        isEmpty = false;
      }
      const last = rows.at(-1);
      if (!hasMore || last === undefined) break;
      cursor = { after: last.id };
    }
    if (isEmpty) output.remark('there are no operators; opentill users set-operator makes a user one');
  },
});
