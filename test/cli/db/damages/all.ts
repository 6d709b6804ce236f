/** Damages for each rule of `db check`: statements on a database that `healthy.ts` has filled. */
import { accountDamages } from './accounts.ts';
import { bankDamages } from './bank.ts';
import { deliveryDamages } from './deliveries.ts';
import { eventDamages } from './events.ts';
import type { Damage } from './parts.ts';
import { postgresDamages } from './postgres.ts';
import { sessionDamages } from './sessions.ts';
import { sqliteDamages } from './sqlite.ts';

/** The same for every database, once nothing keeps anybody from it. */
const common: readonly Damage[] = [
  ...accountDamages,
  ...sessionDamages,
  ...eventDamages,
  ...deliveryDamages,
  ...bankDamages,
];

export const damages = {
  sqlite: [...common, ...sqliteDamages],
  postgres: [...common, ...postgresDamages],
};
