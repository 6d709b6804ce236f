/** The contract of rails on SQLite, where a process never lives for long. */
import { freshSqlite } from '../support/database-sqlite.ts';
import { declareContract } from './contract.ts';

declareContract('SQLite', freshSqlite, { isRestarted: true });
