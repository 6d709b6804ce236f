/** The contract of rails on PostgreSQL. */
import { freshPostgres } from '../support/database-postgres.ts';
import { declareContract } from './contract.ts';

declareContract('PostgreSQL', freshPostgres);
