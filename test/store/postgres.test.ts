import { postgresOpener } from './open-postgres.ts';
import { storeSuite } from './suite.ts';
import { sharedDeliverySuite } from './suite-shared-deliveries.ts';
import { sharedWorkSuite } from './suite-shared-work.ts';

const open = postgresOpener();

storeSuite('PostgreSQL', open);
sharedWorkSuite(open);
sharedDeliverySuite(open);
