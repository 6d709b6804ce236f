/** Files of payments (ISO 20022 pain.001): written where the bank's program finds them. */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, copyFile, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { formatAmount } from '../../checkout/money.ts';
import { messageOf } from '../../lib/error-message.ts';
import type { Client } from '../client.ts';
import { flag, optional } from '../declare/parameter.ts';
import { file } from '../declare/values.ts';
import { Failure } from '../failure.ts';
import { printable } from '../printable.ts';

type PaymentFile = {
  readonly id: string;
  readonly currency: string;
  readonly amount: number;
  readonly execute_on: string;
  readonly payments: readonly unknown[];
  readonly left_out: ReadonlyArray<{ readonly id: string; readonly reason: string }>;
};

export const paymentFileOptions = {
  out: optional(
    file('file.xml'),
    'The file to write. Without it, the id of the file and `.xml`, in this directory.',
  ),
  force: flag('Overwrite a file that exists.'),
};

export const paymentFileKeys = {
  id: 'Id of the payment file, `bfl_…`.',
  payments: 'The payments, each with `id`, `amount` and `account`.',
  amount: 'Their sum, in minor units.',
  currency: 'Their currency.',
  execute_on: 'Requested execution date.',
  left_out: 'Refunds and entries left out of it, each with `id` and `reason`.',
} as const;

type Where = { readonly out: string | undefined; readonly force: boolean };

/** Writes the file of payments that `obtain` gets or creates; a file that cannot be written is found out before. */
export async function writePaymentFile(
  client: Client,
  { out, force }: Where,
  obtain: () => Promise<PaymentFile>,
) {
  const place = await reserve(out, force);
  try {
    const paymentFile = await obtain();
    const { id, payments, amount, currency, execute_on, left_out } = paymentFile;
    const file = await written(client, id, place);
    const count = `${payments.length} payment${payments.length === 1 ? '' : 's'}`;
    const sum = formatAmount(amount, currency);
    return {
      record: paymentFile,
      lines: [
        [id, count, sum, `to be carried out on ${execute_on}`, file].join('  '),
        ...left_out.map((each) => `left out: ${each.id}  ${printable(each.reason)}`),
      ],
    };
  } finally {
    await rm(place.temporary, { force: true });
  }
}

type Place = { readonly out: string | undefined; readonly temporary: string; readonly force: boolean };

/** Finds out that a file cannot be written before anything is made: what is in one file is in no other. */
async function reserve(out: string | undefined, force: boolean): Promise<Place> {
  if (out !== undefined && !force && (await isThere(out)))
    throw new Failure(`${printable(out)} exists already; --force overwrites it`);
  const temporary = join(out === undefined ? '.' : dirname(out), `.opentill-${randomUUID()}.part`);
  try {
    await (await open(temporary, 'wx', 0o600)).close();
  } catch (error) {
    throw new Failure(`the file cannot be written: ${messageOf(error)}`);
  }
  return { out, temporary, force };
}

async function written(client: Client, id: string, { out = `${id}.xml`, temporary, force }: Place) {
  try {
    const { content } = await client.get<{ readonly content: string }>(`/payment_file/${id}/content`);
    const file = await open(temporary, 'w');
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    // A file that came there meanwhile stays too.
    if (force) await rename(temporary, out);
    else await copyFile(temporary, out, constants.COPYFILE_EXCL);
    return out;
  } catch (error) {
    const why = printable(messageOf(error));
    throw new Failure(
      `${id} is created, but not written: ${why}; opentill bank payments write ${id} writes it`,
    );
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
