/** `refund`: gives back money of a payin. */
import { parseArgs } from 'node:util';
import { formatAmount } from '../checkout/money.ts';
import { amountOf } from './amount.ts';
import { clientOptions, createClient } from './client.ts';
import { parsed, takesNothing, UsageError } from './usage-error.ts';

type Refund = {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
};

export async function refund(args: readonly string[]): Promise<void> {
  const { values, positionals } = parsed(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...clientOptions, attempt: { type: 'string' }, reason: { type: 'string' } },
    }),
  );
  const [payin, amount, ...rest] = positionals;
  takesNothing('refund', rest);
  if (!payin?.startsWith('chk_') || amount === undefined)
    throw new UsageError('refund takes the id of the payin, chk_…, and an amount such as 12.50');
  const client = createClient(values);
  const path = `/checkout/${encodeURIComponent(payin)}`;
  const { invoice_currency } = await client.get<{ readonly invoice_currency: string }>(path);
  const made = await client.send<Refund>('POST', '/refund', {
    payin,
    amount: amountOf(amount, invoice_currency),
    ...(values.attempt === undefined ? {} : { payment_attempt: values.attempt }),
    ...(values.reason === undefined ? {} : { reason: values.reason }),
  });
  console.log([made.id, made.status, formatAmount(made.amount, made.currency)].join('  '));
}
