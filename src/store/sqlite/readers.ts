/** Reads inside the transaction of a commit, which has no time to wait. */

import type { BankFile } from '../../banking/bank-file.ts';
import type { BankEntry } from '../../banking/entry.ts';
import type { Customer } from '../../checkout/customer.ts';
import type { CustomerId } from '../../checkout/ids.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { ProviderEvent } from '../../methods/provider-event.ts';
import { bankEntries } from '../reads/bank-entries.ts';
import { bankFiles } from '../reads/bank-files.ts';
import { owners } from '../reads/checkouts.ts';
import { customerByEmail, customers } from '../reads/customers.ts';
import { providerEvents } from '../reads/provider-events.ts';
import { checkoutReader } from './checkouts.ts';
import { endpointReader } from './endpoints.ts';
import type { Runner } from './run.ts';

export type Readers = ReturnType<typeof createReaders>;

export function createReaders(runner: Runner) {
  const { read } = runner;
  return {
    checkouts: {
      ...checkoutReader(runner),
      ownerOfReference: (tenant: Tenant, rail: string, reference: string): string | null =>
        read(owners.ofReference(tenant, rail, reference)),
    },
    endpoints: endpointReader(runner),
    customers: {
      read: (tenant: Tenant, id: CustomerId): Customer | null => read(customers.fetch(tenant, id)),
      readByEmail: (tenant: Tenant, email: string): Customer | null => read(customerByEmail(tenant, email)),
    },
    providerEvents: {
      readByReference: (tenant: Tenant, rail: string, reference: string): ProviderEvent | null =>
        read(providerEvents.fetchByReference(tenant, rail, reference)),
    },
    bankEntries: {
      readByReference: (tenant: Tenant, reference: string): BankEntry | null =>
        read(bankEntries.fetchByReference(tenant, reference)),
    },
    bankFiles: {
      readStatement: (tenant: Tenant, hash: string): BankFile | null =>
        read(bankFiles.fetchStatement(tenant, hash)),
    },
  };
}
