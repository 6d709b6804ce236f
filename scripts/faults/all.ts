/** All planted faults, and how one is planted. */
import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { accountFaults } from './accounts.ts';
import { bankScreenFaults } from './bank-screens.ts';
import { bankingFaults } from './banking.ts';
import { checkoutFaults } from './checkout.ts';
import { connectionFaults } from './connections.ts';
import { developerFaults } from './developers.ts';
import { dueWorkFaults } from './due-work.ts';
import { editingFaults } from './editing.ts';
import type { Fault } from './fault.ts';
import { historyFaults } from './histories.ts';
import { httpFaults } from './http.ts';
import { listFaults } from './lists.ts';
import { memberFaults } from './members.ts';
import { methodFaults } from './methods.ts';
import { moneyFaults } from './money.ts';
import { nodeFaults } from './nodes.ts';
import { olderClientFaults } from './older-clients.ts';
import { operationFaults } from './operation.ts';
import { operatorFaults } from './operators.ts';
import { pageFaults } from './pages.ts';
import { paymentFaults } from './payments.ts';
import { peopleFaults } from './people.ts';
import { requestFaults } from './requests.ts';
import { simulationFaults } from './simulation.ts';
import { sqliteFileFaults } from './sqlite-file.ts';
import { statementFaults } from './statements.ts';
import { storeFaults } from './store.ts';
import { totalFaults } from './totals.ts';
import { turnFaults } from './turns.ts';
import { upkeepFaults } from './upkeep.ts';
import { userFaults } from './users.ts';
import { wayInFaults } from './ways-in.ts';
import { webhookFaults } from './webhooks.ts';
import { writerFaults } from './writer.ts';

export const allFaults: readonly Fault[] = [
  ...checkoutFaults,
  ...accountFaults,
  ...requestFaults,
  ...userFaults,
  ...memberFaults,
  ...webhookFaults,
  ...statementFaults,
  ...bankingFaults,
  ...methodFaults,
  ...httpFaults,
  ...olderClientFaults,
  ...pageFaults,
  ...connectionFaults,
  ...turnFaults,
  ...writerFaults,
  ...storeFaults,
  ...listFaults,
  ...totalFaults,
  ...dueWorkFaults,
  ...sqliteFileFaults,
  ...upkeepFaults,
  ...nodeFaults,
  ...operationFaults,
  ...moneyFaults,
  ...operatorFaults,
  ...paymentFaults,
  ...peopleFaults,
  ...bankScreenFaults,
  ...simulationFaults,
  ...historyFaults,
  ...developerFaults,
  ...editingFaults,
  ...wayInFaults,
];

/** The text of the fault's file in this tree, with the fault planted. */
export function planted(tree: string, { file, find, replace }: Fault): string {
  return readFileSync(join(tree, file), 'utf8').split(find).join(replace);
}

/** Why the fault cannot be planted in this tree, or null. */
export function obstacleTo(fault: Fault, tree: string): string | null {
  const { name, file, find, replace, tests, checkers = {} } = fault;
  if (allFaults.filter((each) => each.name === name).length > 1) return 'another one has its name';
  if (!existsSync(join(tree, file))) return 'there is no such file';
  const count = readFileSync(join(tree, file), 'utf8').split(find).length - 1;
  if (count !== 1) return `its text is there ${count} times`;
  if (find === replace) return 'it changes nothing';
  const missing = tests.find((test) => !existsSync(join(tree, test)));
  if (missing !== undefined) return `there is no ${missing}`;
  if (file.startsWith('src/checkout/') && checkers.rules === undefined)
    return 'nobody says whether the search of the rules finds it';
  if (!file.endsWith('.ts')) return null;
  try {
    // A fault that keeps its file from loading would be found by any test.
    stripTypeScriptTypes(planted(tree, fault));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : 'it is no TypeScript';
  }
}
