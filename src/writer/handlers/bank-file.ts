/** Commands about a statement that was read. */
import type { BankFile } from '../../banking/bank-file.ts';
import { auditOf, type Decided, type KeepBankFile } from '../command.ts';

export function decideOnBankFile({ origin, now, file, isKnown }: KeepBankFile): Decided<BankFile> {
  const audit = auditOf(origin, file.id, 0, now, `add_${file.kind}`);
  return { value: file, writes: isKnown ? [] : [{ bankFile: file, audit }] };
}
