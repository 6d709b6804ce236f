/** The contract of rails on SQLite. */
import { freshSqlite } from '../support/database-sqlite.ts';
import { declareContract } from './contract.ts';

declareContract('SQLite', freshSqlite);
