/** `bank payments`: makes a file of what is to go back by bank transfer, and writes it where the bank's program finds it. */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, copyFile, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatAmount } from '../../checkout/money.ts';
import { type Client, clientOptions, createClient } from '../client.ts';
import { printable } from '../printable.ts';
import { parsed, takesNothing, UsageError } from '../usage-error.ts';

type PaymentFile = {
  readonly id: string;
  readonly currency: string;
  readonly amount: number;
  readonly execute_on: string;
  readonly payments: readonly unknown[];
  readonly left_out: ReadonlyArray<{ readonly id: string; readonly reason: string }>;
};

export async function payments(args: readonly string[]): Promise<void> {
  const { values, positionals } = parsed(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...clientOptions,
        'execute-on': { type: 'string' },
        out: { type: 'string' },
        force: { type: 'boolean', default: false },
      },
    }),
  );
  const [of, ...rest] = positionals;
  takesNothing('bank payments', rest);
  if (!of) throw new UsageError('bank payments takes the id of the receiving account that the money leaves');
  const isMade = of.startsWith('bfl_');
  const executeOn = values['execute-on'];
  if (isMade && executeOn !== undefined)
    throw new UsageError('--execute-on is for a new file, and this one is made already');
  const client = createClient(values);
  const place = await reserve(values.out, values.force);
  try {
    const file = isMade
      ? await client.get<PaymentFile>(`/payment_file/${encodeURIComponent(of)}`)
      : await client.send<PaymentFile>('POST', '/payment_file', {
          receiving_account: of,
          ...(executeOn === undefined ? {} : { execute_on: executeOn }),
        });
    const out = await written(client, file.id, place);
    const count = `${file.payments.length} payment${file.payments.length === 1 ? '' : 's'}`;
    const sum = formatAmount(file.amount, file.currency);
    console.log([file.id, count, sum, `to be carried out on ${file.execute_on}`, out].join('  '));
    for (const { id, reason } of file.left_out) console.log(`left out: ${id}  ${printable(reason)}`);
  } finally {
    await rm(place.temporary, { force: true });
  }
}

type TenantClock = { readonly out: string | undefined; readonly temporary: string; readonly force: boolean };

/** Finds out that a file cannot be written before anything is made: what is in one file is in no other. */
async function reserve(out: string | undefined, force: boolean): Promise<TenantClock> {
  if (out !== undefined && !force && (await isThere(out)))
    throw new UsageError(`${printable(out)} is there already; --force writes over it`);
  const temporary = join(out === undefined ? '.' : dirname(out), `.opentill-${randomUUID()}.part`);
  try {
    await (await open(temporary, 'wx', 0o600)).close();
  } catch (error) {
    throw new UsageError(`the file cannot be written: ${(error as Error).message}`);
  }
  return { out, temporary, force };
}

async function written(client: Client, id: string, { out = `${id}.xml`, temporary, force }: TenantClock) {
  try {
    const { content } = await client.get<{ readonly content: string }>(`/payment_file/${id}/content`);
    const file = await open(temporary, 'w');
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    // What came there meanwhile stays too.
    if (force) await rename(temporary, out);
    else await copyFile(temporary, out, constants.COPYFILE_EXCL);
    return out;
  } catch (error) {
    const why = printable((error as Error).message);
    throw new UsageError(`${id} is made, but not written: ${why}; opentill bank payments ${id} writes it`);
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
