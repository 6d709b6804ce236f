/** The contract of rails on SQLite, where a process never lives for long: half of it in `npm test`, other tests with each seed. */
import { freshSqlite } from '../support/database-sqlite.ts';
import { sampler } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { declareContract } from './contract.ts';

declareContract(`SQLite, seed ${seed}`, freshSqlite, { isRestarted: true, isTried: sampler(1 / 6) });
