/** Orders about notices of providers, which are kept as they came, and about files of banks. */
import type { Loaded, Needs } from '../../store/store.ts';
import {
  answerOf,
  auditOf,
  type Decided,
  type KeepBankFile,
  noAnswer,
  type RecordNotice,
} from '../command.ts';

export function noticeNeeds({ tenant, notice: { rail, reference } }: RecordNotice): Needs {
  return { tenant, notice: { rail, reference } };
}

/** The same notice twice is one; what was settled stays so. */
export function decideOnNotice({ notice }: RecordNotice, { notice: known }: Loaded): Decided {
  const isStale = known !== null && (known.id !== notice.id || known.state === 'done');
  return { writes: isStale ? {} : { notice }, answer: noAnswer, committed: null };
}

export function decideOnBankFile({ origin, now, file, isKnown, reply, shows }: KeepBankFile): Decided {
  const audit = auditOf(origin, file.id, 0, now, `add_${file.kind}`);
  return {
    writes: isKnown ? {} : { bankFile: file, audit },
    answer: answerOf(reply, shows),
    committed: null,
  };
}
