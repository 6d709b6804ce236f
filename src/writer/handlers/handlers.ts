/** The command handlers: what each command needs to see, and what it decides on that. */
import { type Refusal, refuse } from '../../checkout/refusals.ts';
import type { Loaded, Needs } from '../../store/store.ts';
import type { Commands, Context, Decided, Subject, Value } from '../command.ts';
import { accountNeeds, decideOnAccount } from './account.ts';
import { apiKeyNeeds, decideOnApiKey } from './api-key.ts';
import { bankEntryNeeds, decideOnBankEntry } from './bank-entry.ts';
import { bankFileNeeds, decideOnBankFile } from './bank-file.ts';
import { checkoutNeeds, decideOnCheckout } from './checkout.ts';
import { decideOnClock } from './clock.ts';
import { customerNeeds, decideOnCustomer } from './customer.ts';
import { decideOnDeliveries, deliveriesNeeds } from './deliveries.ts';
import { decideOnEndpoint, endpointNeeds } from './endpoint.ts';
import { decideOnNewAccount, newAccountNeeds } from './new-account.ts';
import { decideOnPaymentFile, paymentFileNeeds } from './payment-file.ts';
import { decideOnProviderEvent, providerEventNeeds } from './provider-event.ts';
import { decideOnResend, resendNeeds } from './resend.ts';
import { decideOnUser, userNeeds } from './user.ts';

export type Handler<S extends Subject> = {
  readonly needs: (command: Commands[S]['command']) => Needs;
  /** Pure but for fresh ids: it may be called again on what another batch has changed meanwhile. */
  readonly decide: (
    command: Commands[S]['command'],
    loaded: Loaded,
    context: Context,
  ) => Decided<Value<S>> | Refusal;
};

const onlyTheTenant = ({ origin: { tenant } }: Commands[Subject]['command']): Needs => ({ tenant });

export const handlers: { readonly [S in Subject]: Handler<S> } = {
  checkout: { needs: checkoutNeeds, decide: decideOnCheckout },
  customer: { needs: customerNeeds, decide: decideOnCustomer },
  endpoint: { needs: endpointNeeds, decide: decideOnEndpoint },
  account: { needs: accountNeeds, decide: decideOnAccount },
  new_account: { needs: newAccountNeeds, decide: decideOnNewAccount },
  api_key: { needs: apiKeyNeeds, decide: decideOnApiKey },
  user: { needs: userNeeds, decide: decideOnUser },
  clock: { needs: onlyTheTenant, decide: decideOnClock },
  resend: { needs: resendNeeds, decide: decideOnResend },
  deliveries: { needs: deliveriesNeeds, decide: decideOnDeliveries },
  bank_entry: { needs: bankEntryNeeds, decide: decideOnBankEntry },
  bank_file: { needs: bankFileNeeds, decide: decideOnBankFile },
  payment_file: { needs: paymentFileNeeds, decide: decideOnPaymentFile },
  provider_event: { needs: providerEventNeeds, decide: decideOnProviderEvent },
  repetition: {
    needs: onlyTheTenant,
    decide: () => refuse('not_found', 'The request was not answered before.'),
  },
  answer: { needs: onlyTheTenant, decide: () => ({ value: null, writes: [] }) },
};
