import { join } from 'node:path';
import type { Random } from './random.ts';

const shortLog = join(import.meta.dirname, 'short-log-service.ts');

/** Options of a start: as it is, or with a log that is copied so often that crashes meet it half copied. */
export const eitherLog = (random: Random): { readonly program?: string } =>
  random.pick([{}, { program: shortLog }]);
