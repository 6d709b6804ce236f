/** The contract of rails on PostgreSQL: a quarter of it in `npm test`, since the rules are the same as on SQLite. */
import { freshPostgres } from '../support/database-postgres.ts';
import { sampler } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { declareContract } from './contract.ts';

declareContract(`PostgreSQL, seed ${seed}`, freshPostgres, { isTried: sampler(1 / 8) });
