/** Files that go to and fro between an operator and a bank. */
import type { JsonObject } from '../checkout/session.ts';

/** `statement`: read from a bank; `payments`: refunds for a bank to carry out. */
export type BankFileKind = 'statement' | 'payments';

export type BankFile = {
  readonly id: string;
  readonly kind: BankFileKind;
  readonly createdAt: number;
  /** Hexadecimal SHA-256 of the content; the same statement twice is one. */
  readonly hash: string;
  /** What the file is about: counts, the account, the refunds in it. */
  readonly data: JsonObject;
  /** The bytes of a file that was made here, as text; empty for one that was read, and in lists. */
  readonly content: string;
};
