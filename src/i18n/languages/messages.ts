import type { RefundStatus } from '../../checkout/session.ts';
import type { InstructionName } from '../../methods/bank/instructions.ts';
import type { SandboxOutcome } from '../../methods/sandbox/sandbox.ts';

/**
 * Every sentence that a payer can read. A language is one value of this type, so that a sentence that it lacks does
 * not compile. Names and amounts arrive ready to be shown; what comes out is plain text.
 */
export type Messages = {
  readonly testMode: string;
  readonly payTo: (name: string) => string;
  readonly order: string;
  readonly allItems: (count: string) => string;
  readonly otherCharges: string;
  readonly discount: string;
  readonly total: string;
  readonly paid: string;
  readonly remaining: string;
  readonly payableUntil: string;

  readonly howToPay: string;
  readonly method: string;
  readonly card: string;
  readonly bankTransfer: (currency: string) => string;
  readonly wireTransfer: string;
  readonly outcome: string;
  readonly outcomes: Readonly<Record<SandboxOutcome, string>>;
  readonly pay: (amount: string) => string;
  readonly partlyPaid: (paid: string, remaining: string) => string;
  readonly backToShop: string;

  readonly draftTitle: string;
  readonly draftText: (name: string) => string;
  readonly stepTitle: string;
  readonly stepText: (method: string, amount: string) => string;
  readonly stepConfirm: string;
  readonly stepDecline: string;
  readonly stepOther: string;
  readonly progressTitle: string;
  readonly progressText: string;
  readonly checkAgain: string;
  readonly unavailableTitle: string;
  readonly unavailableText: (name: string) => string;
  readonly tooManyAttempts: (name: string) => string;

  readonly paidTitle: string;
  readonly paidText: (name: string) => string;
  readonly paidInExcess: (amount: string, name: string) => string;
  readonly paidLate: (name: string) => string;
  readonly returnTo: (name: string) => string;

  readonly expiredTitle: string;
  readonly expiredByTime: string;
  readonly expiredByMerchant: (name: string) => string;
  readonly expiredAdvice: (name: string) => string;
  readonly expiredPartlyPaid: (amount: string, name: string) => string;
  readonly expiredInProgress: string;

  readonly declined: string;
  readonly alreadyInProgress: string;
  readonly notPayable: string;
  readonly formUsed: string;
  readonly amountChanged: string;
  readonly itemsChanged: string;
  readonly badInput: string;
  readonly stepOver: string;

  readonly payments: string;
  readonly viewReceipt: string;
  readonly receiptTitle: string;
  readonly receiptFrom: (name: string) => string;
  readonly print: string;
  readonly backToPayment: string;
  readonly date: string;
  readonly amount: string;
  readonly payee: string;
  readonly reference: string;
  readonly orderReference: string;
  readonly session: string;

  readonly notFoundTitle: string;
  readonly notFoundText: string;
  readonly noReceiptTitle: string;
  readonly noReceiptText: string;
  readonly refusedTitle: string;
  readonly refusedText: string;
  readonly tooManyTitle: string;
  readonly tooManyText: string;
  readonly beingMadeTitle: string;
  readonly beingMadeText: string;
  readonly troubleTitle: string;
  readonly troubleText: string;
  readonly language: string;

  readonly transfer: {
    readonly payWith: (method: string) => string;
    readonly text: (amount: string) => string;
    readonly wait: string;
    /** The address of a brand goes by the name of the brand. */
    readonly fields: Readonly<Record<Exclude<InstructionName, 'proxy'>, string>>;
    readonly copy: string;
    readonly copied: string;
    readonly code: string;
    readonly openApp: (name: string) => string;
    readonly invoice: string;
    readonly back: string;
  };
  readonly goOnText: (method: string, amount: string) => string;
  readonly goOn: string;
  readonly goingOn: string;
  readonly notStarted: string;
  readonly notSetUp: string;
  readonly downloadReceipt: string;
  readonly takenBack: string;
  readonly verify: { readonly title: string; readonly text: (name: string) => string };
  readonly unknownReceiptTitle: string;
  readonly unknownReceiptText: string;

  // documents
  readonly document: {
    /** Before anything is paid as well as after it. */
    readonly payee: string;
    readonly payer: string;
    readonly taxId: string;
    readonly item: string;
    readonly quantity: string;
    readonly unitPrice: string;
    readonly refunds: string;
    readonly status: string;
    readonly refundStatuses: Readonly<Record<Exclude<RefundStatus, 'failed'>, string>>;
    readonly refunded: string;
    readonly excess: string;
    readonly page: (page: string, pages: string) => string;
    readonly verify: string;
    readonly invoiceTitle: string;
    readonly howToTransfer: string;
    readonly scanToPay: string;
    readonly payWithPart: (amount: string) => string;
  };
};
