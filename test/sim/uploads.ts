/** The way of bank files into the service, as the watched folder does it: again until they have been accepted. */

import { isRefusal } from '../../src/checkout/refusals.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { ingestStatement } from '../../src/ingest/statement.ts';
import { readStatement } from '../../src/statements/read.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { ownOrigin } from '../../src/writer/command.ts';
import { csvMapping } from '../support/statements.ts';
import type { Bank, Booking } from './bank.ts';
import { type BankFile, type Format, fileOf, isInCsv } from './bank-files.ts';
import type { BankOracle } from './bank-oracle.ts';
import type { Oracle } from './oracle.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

/**
 * The bookings in a file: new ones, all of the account, a day, some in a row, or those of an earlier file.
 */
export type Which = 'new' | 'all' | 'today' | 'some' | 'again';

type Parts = {
  readonly world: World;
  readonly bank: Bank;
  readonly judge: BankOracle;
  readonly oracle: Oracle;
  readonly process: () => Process;
};

const SOME = 3;

export function createUploads({ world, bank, judge, oracle, process }: Parts) {
  const files: BankFile[] = [];
  const accepted = new Set<BankFile>();

  async function* piecesOf({ bytes }: BankFile): AsyncGenerator<Uint8Array> {
    yield bytes;
  }

  function give(file: BankFile): void {
    const { store, execute, isAlive } = process();
    if (!isAlive()) return;
    judge.given(file);
    const options = file.format === 'csv' ? { mapping: csvMapping } : {};
    const source = { name: 'file', hash: file.hash, read: () => readStatement(piecesOf(file), options) };
    const origin = ownOrigin(file.tenant, 'time');
    void ingestStatement({ store, execute }, origin, source, oracle.nowOf(file.tenant)).then(
      ({ result }) => {
        world.stir();
        if (!isAlive()) return;
        oracle.trace.push(`file ${file.hash.slice(0, 8)} accepted`);
        accepted.add(file);
        if (isRefusal(result) || result.kind === 'replay') oracle.fault('a bank file was not accepted');
        else judge.accepted(file, result.value.data.entries);
      },
      (error) => {
        world.stir();
        if (isAlive() && !(error instanceof StoreUnavailable))
          oracle.fault(`a bank file failed: ${error.stack}`);
      },
    );
  }

  function chosen(
    all: readonly Booking[],
    which: Exclude<Which, 'again'>,
    number: number,
  ): readonly Booking[] {
    if (which === 'all') return all;
    if (which === 'today') return all.filter(({ bookedOn }) => bookedOn === all.at(-1)?.bookedOn);
    const from = number % all.length;
    if (which === 'some') return all.slice(from, from + SOME);
    return all.filter((booking) => !files.some(({ bookings }) => bookings.includes(booking)));
  }

  function tell(tenant: Tenant, which: Which, format: Format, number: number): void {
    const again = which === 'again' ? files[number % files.length] : undefined;
    if (again) {
      give(again);
      return;
    }
    const all = bank.of(tenant).filter((booking) => format !== 'csv' || isInCsv(booking));
    const bookings = chosen(all, which === 'again' ? 'all' : which, number);
    if (bookings.length === 0) return;
    const file = fileOf(tenant, format, bookings, files.length);
    files.push(file);
    give(file);
  }

  return {
    tell,
    /** Files that were not accepted yet are given again. */
    retry(): void {
      for (const file of files) if (!accepted.has(file)) give(file);
    },
    waiting: (): number => files.filter((file) => !accepted.has(file)).length,
  };
}
