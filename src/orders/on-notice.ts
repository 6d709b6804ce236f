/** Orders about notices of providers, which are kept as they came, and about files of banks. */
import type { Loaded, Needs } from '../store/store.ts';
import { answerOf, auditOf, type BankFileOrder, type Decided, type NoticeOrder, noAnswer } from './order.ts';

export function noticeNeeds({ scope, notice: { rail, reference } }: NoticeOrder): Needs {
  return { scope, notice: { rail, reference } };
}

/** The same notice twice is one; what was settled stays so. */
export function decideOnNotice({ notice }: NoticeOrder, { notice: known }: Loaded): Decided {
  const isStale = known !== null && (known.id !== notice.id || known.state === 'done');
  return { writes: isStale ? {} : { notice }, answer: noAnswer, committed: null };
}

export function decideOnBankFile({ origin, now, file, isKnown, reply, shows }: BankFileOrder): Decided {
  const audit = auditOf(origin, file.id, 0, now, `add_${file.kind}`);
  return {
    writes: isKnown ? {} : { bankFile: file, audit },
    answer: answerOf(reply, shows),
    committed: null,
  };
}
