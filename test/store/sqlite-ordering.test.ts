/** Ordering keys on SQLite, by more random histories than the suites of the store have. */
import { scaled } from '../support/scale.ts';
import { openSqlite } from './open-sqlite.ts';
import { orderingPropertySuite } from './suite-ordering-property.ts';

orderingPropertySuite(openSqlite, scaled(5));
