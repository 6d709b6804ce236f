/** The contract of rails on PostgreSQL, where a process never lives for long. */
import { freshPostgres } from '../support/database-postgres.ts';
import { declareContract } from './contract.ts';

declareContract('PostgreSQL', freshPostgres, { isRestarted: true });
