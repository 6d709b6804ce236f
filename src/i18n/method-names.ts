/** Names of payment methods in the payer's language. */
import { currencyExponent } from '../checkout/money.ts';
import type { Checkout, Payment } from '../checkout/session.ts';
import { findMethod, type Method } from '../methods/catalogue.ts';
import type { Messages } from './languages/messages.ts';

const LOCAL_TRANSFER = /^local_bank_transfer_([a-z]{3})$/;

/** Kinds of payment have names in the payer's language, brands keep their own. */
export function methodName(messages: Messages, { id, name }: Method): string {
  if (id === 'card') return messages.card;
  if (id === 'wire_transfer') return messages.wireTransfer;
  const currency = LOCAL_TRANSFER.exec(id)?.[1]?.toUpperCase();
  return currency !== undefined && currencyExponent(currency) !== undefined
    ? messages.bankTransfer(currency)
    : name;
}

/** Name of the method of a payment; its id if the catalogue no longer knows it. */
export function paymentMethodName(messages: Messages, { attempts }: Checkout, payment: Payment): string {
  const id = attempts.find((attempt) => attempt.id === payment.attempt)?.method ?? '';
  const method = findMethod(id);
  return method ? methodName(messages, method) : id;
}
