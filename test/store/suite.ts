/**
 * The contract of the store: every database is held to it. `open` makes an empty database; all that is known of it is
 * the interface.
 */
import { suite } from 'node:test';
import type { Open } from './build.ts';
import { accountSuite } from './suite-accounts.ts';
import { auditSuite } from './suite-audit.ts';
import { bankEntrySuite } from './suite-bank-entries.ts';
import { bankFileSuite } from './suite-bank-files.ts';
import { commitSuite } from './suite-commit.ts';
import { deliveryListSuite } from './suite-delivery-lists.ts';
import { directorySuite } from './suite-directory.ts';
import { endpointSuite } from './suite-endpoints.ts';
import { eraseSuite } from './suite-erase.ts';
import { eventSuite } from './suite-events.ts';
import { listSuite } from './suite-lists.ts';
import { moneySuite } from './suite-money.ts';
import { movementSuite } from './suite-movements.ts';
import { orderingSuite } from './suite-ordering.ts';
import { orderingPropertySuite } from './suite-ordering-property.ts';
import { overviewSuite } from './suite-overview.ts';
import { providerEventSuite } from './suite-provider-events.ts';
import { receiverSuite } from './suite-receivers.ts';
import { requestSuite } from './suite-requests.ts';
import { resendSuite } from './suite-resends.ts';
import { retentionSuite } from './suite-retention.ts';
import { timerSuite } from './suite-timers.ts';
import { userSuite } from './suite-users.ts';
import { workSuite } from './suite-work.ts';

export function storeSuite(name: string, open: Open): void {
  suite(`the store on ${name}`, () => {
    commitSuite(open);
    eventSuite(open);
    listSuite(open);
    eraseSuite(open);
    directorySuite(open);
    accountSuite(open);
    auditSuite(open);
    userSuite(open);
    timerSuite(open);
    workSuite(open);
    orderingSuite(open);
    receiverSuite(open);
    resendSuite(open);
    deliveryListSuite(open);
    endpointSuite(open);
    moneySuite(open);
    movementSuite(open);
    overviewSuite(open);
    providerEventSuite(open);
    bankEntrySuite(open);
    bankFileSuite(open);
    retentionSuite(open);
    requestSuite(open);
    orderingPropertySuite(open);
  });
}
