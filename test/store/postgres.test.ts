import { postgresOpener } from './open-postgres.ts';
import { storeSuite } from './suite.ts';
import { sharedWorkSuite } from './suite-shared-work.ts';

const open = postgresOpener();

storeSuite('PostgreSQL', open);
sharedWorkSuite(open);
