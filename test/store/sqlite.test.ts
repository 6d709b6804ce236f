import { openSqlite } from './open-sqlite.ts';
import { storeSuite } from './suite.ts';

storeSuite('SQLite', openSqlite);
