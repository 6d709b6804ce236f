/** `refund`: gives back money of a payin, or says what became of a refund by bank transfer. */
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
  if (args[0] === 'settle') return settle(args.slice(1));
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
  show(made);
}

async function settle(args: readonly string[]): Promise<void> {
  const { values, positionals } = parsed(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...clientOptions, reason: { type: 'string' } },
    }),
  );
  const [id, status = '', ...rest] = positionals;
  takesNothing('refund settle', rest);
  if (!id?.startsWith('rfd_') || !['succeeded', 'failed'].includes(status))
    throw new UsageError('refund settle takes the id of the refund, rfd_…, and succeeded or failed');
  const { reason } = values;
  const path = `/refund/${encodeURIComponent(id)}/settle`;
  const body = { status, ...(reason === undefined ? {} : { reason }) };
  show(await createClient(values).send<Refund>('POST', path, body));
}

function show({ id, status, amount, currency }: Refund): void {
  console.log([id, status, formatAmount(amount, currency)].join('  '));
}
