/** Commands about a statement that is read, known by its hash. */
import type { BankFile } from '../../banking/bank-file.ts';
import type { Loaded, Needs } from '../../store/store.ts';
import { auditOf, type Decided, type KeepBankFile } from '../command.ts';

export function bankFileNeeds({ origin: { tenant }, file: { hash } }: KeepBankFile): Needs {
  return { tenant, statements: [hash] };
}

/** Whoever begins to ingest a file gets the id that it has; what is complete stays what it was. */
export function decideOnBankFile(
  { origin, now, file }: KeepBankFile,
  { statements }: Loaded,
): Decided<BankFile> {
  const known = statements.get(file.hash);
  if (known && (known.kind === 'statement' || file.kind === 'ingesting')) return { value: known, writes: [] };
  if (file.kind === 'ingesting') return { value: file, writes: [{ bankFile: file }] };
  const audit = auditOf(origin, file.id, 0, now, 'add_statement');
  return { value: file, writes: [{ ...(known ? { ingestedFile: file } : { bankFile: file }), audit }] };
}
