/** Facts of a document as plain data, made from the session and the payee before anything is drawn. */
import type { BusinessDetails } from '../accounts/settings.ts';
import { listingOf } from '../checkout/items.ts';
import type { Checkout, JsonObject, Payer } from '../checkout/session.ts';
import { amountDue } from '../checkout/statuses.ts';
import type { Locale } from '../i18n/locale.ts';
import { goneBack, type Movement, paymentsOf, type Sum, sumsOf } from './money.ts';
import type { Picture } from './picture.ts';
import { plain } from './plain.ts';

/** Payee: the name of the account, and its settings for documents. */
export type Payee = BusinessDetails & { readonly name: string };

/** Person or company on a document: the name, and the lines below it. Both may be empty. */
export type Party = { readonly name: string; readonly lines: readonly string[] };

/** All amounts are in minor units of `currency`, all times in milliseconds since the epoch. */
type OrderFacts = {
  readonly locale: Locale;
  readonly testMode: boolean;
  /** Date of the document. It follows from the session, so that the same document has the same bytes. */
  readonly issuedAt: number;
  readonly payee: Party;
  /** Picture of the payee at the top, if there is one. */
  readonly logo?: Picture;
  readonly taxId: string;
  readonly payer: Party;
  readonly orderReference: string;
  readonly sessionId: string;
  /** Empty if it would only repeat the items. */
  readonly description: string;
  readonly currency: string;
  readonly items: readonly ItemFacts[];
  readonly sums: readonly Sum[];
};

export type ItemFacts = {
  readonly name: string;
  readonly description: string;
  readonly quantity: number;
  readonly unitPrice: number;
};

export type ReceiptFacts = OrderFacts & {
  readonly payments: readonly Movement[];
  readonly goneBack: readonly Movement[];
  /** Address at which this service confirms the receipt. */
  readonly verifyUrl: string;
};

/** Instructions for a bank transfer: the details, and the code that says the same. */
export type Instructions = {
  /** Texts in the payer's language, in the order in which they are shown. */
  readonly fields: readonly { readonly label: string; readonly text: string }[];
  /** `swissCross` for the code of a Swiss QR-bill, which has a payment part of its own. */
  readonly code: { readonly payload: string; readonly swissCross: boolean } | null;
};

export type InvoiceFacts = OrderFacts & {
  /** Deadline to pay, or null. */
  readonly dueAt: number | null;
  /** Amount that the instructions are for. */
  readonly due: number;
  readonly instructions: Instructions;
};

/** `verifyUrl` is the absolute address of the page that confirms the receipt. */
export function receiptFacts(
  checkout: Checkout,
  payee: Payee,
  locale: Locale,
  verifyUrl: string,
): ReceiptFacts {
  const order = orderFacts(checkout, payee, locale);
  const payments = paymentsOf(checkout, locale).map(plainMovement);
  return {
    ...order,
    issuedAt: Math.max(order.issuedAt, ...payments.slice(-1).map(({ at }) => at)),
    payments,
    goneBack: goneBack(checkout, locale).map(plainMovement),
    verifyUrl,
  };
}

function plainMovement({ what, reference, ...movement }: Movement): Movement {
  return { ...movement, what: plain(what), reference: plain(reference) };
}

export function invoiceFacts(
  checkout: Checkout,
  payee: Payee,
  locale: Locale,
  { fields, code }: Instructions,
): InvoiceFacts {
  return {
    ...orderFacts(checkout, payee, locale),
    dueAt: checkout.expiresAt,
    due: amountDue(checkout),
    instructions: { fields: fields.map(({ label, text }) => ({ label, text: plain(text) })), code },
  };
}

function orderFacts(checkout: Checkout, payee: Payee, locale: Locale): OrderFacts {
  const { items, description } = checkout;
  const isListing = items.length > 0 && description === listingOf(items);
  return {
    locale,
    testMode: checkout.tenant.mode === 'test',
    issuedAt: checkout.createdAt,
    payee: { name: plain(payee.name), lines: filled([...payee.addressLines, payee.email]) },
    taxId: plain(payee.taxId),
    payer: payerOf(checkout.payer),
    orderReference: plain(checkout.referenceId),
    sessionId: checkout.id,
    description: isListing ? '' : plain(description),
    currency: checkout.currency,
    items: items.map((item) => ({
      name: plain(item.name),
      description: plain(item.description ?? ''),
      quantity: item.quantity,
      unitPrice: item.unitPrice,
    })),
    sums: sumsOf(checkout, locale),
  };
}

/** Billing details take precedence over other details of the payer. */
function payerOf({ name, email, country, billingDetails }: Payer): Party {
  const address = billingDetails?.address;
  const isAddress = typeof address === 'object' && address !== null && !Array.isArray(address);
  const fields = isAddress ? (address as JsonObject) : {};
  const text = (field: string) => textOf(fields[field]);
  const place = [text('postal_code'), text('city')].filter((each) => each !== '').join(' ');
  const lines = [text('line1'), text('line2'), place, text('state'), text('country') || country];
  return {
    name: plain(textOf(billingDetails?.name) || name),
    lines: filled([...lines, textOf(billingDetails?.email) || email]),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function filled(lines: readonly string[]): string[] {
  return lines.map(plain).filter((line) => line !== '');
}
