/** Ordering keys on PostgreSQL, by more random histories than the suites of the store have. */
import { scaled } from '../support/scale.ts';
import { postgresOpener } from './open-postgres.ts';
import { orderingPropertySuite } from './suite-ordering-property.ts';

orderingPropertySuite(postgresOpener(), scaled(5));
