/**
 * Ids are types of their own: the prefix that people read is the one that the compiler checks, so that the id of a
 * session is never taken for that of an event. Casts are made where ids come in: rows, and requests after validation.
 */
export type CheckoutId = `chk_${string}`;
export type CustomerId = `cus_${string}`;
export type AttemptId = `pat_${string}`;
export type RefundId = `rfd_${string}`;
export type MovementId = `mov_${string}`;
export type PaymentFileId = `bfl_${string}`;
export type BankEntryId = `ntc_${string}`;
