/** Finding on the schema of a database. */
import { advised, type Finding, good, wrong } from '../../lib/finding.ts';

/** As `refuseOtherSchema`, but that it refuses nothing; `known` is the schema of this version. */
export function schemaFinding(name: string, schema: number, known: number): Finding {
  if (schema === known) return good(`${name} has the schema ${schema}, that of this version.`);
  if (schema === 0)
    return advised(`${name} has no tables of opentill yet.`, 'The first start of the service creates it.');
  return schema > known
    ? wrong(
        `${name} has the schema ${schema} of a newer opentill; this one knows ${known}.`,
        'Run that version, or restore a backup of this one.',
      )
    : advised(
        `${name} has the schema ${schema} of an older opentill.`,
        `Take a backup; the next start of the service migrates it to ${known}.`,
      );
}
