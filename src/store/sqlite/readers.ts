/** Reads inside the transaction of a commit, which has no time to wait. */

import type { BankFile } from '../../banking/bank-file.ts';
import type { Customer } from '../../checkout/customer.ts';
import type { CustomerId } from '../../checkout/ids.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { Notice } from '../../methods/provider-event.ts';
import { bankFiles } from '../reads/bank-files.ts';
import { owners } from '../reads/checkouts.ts';
import { customerByEmail, customers } from '../reads/customers.ts';
import { notices } from '../reads/notices.ts';
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
    notices: {
      readByReference: (tenant: Tenant, rail: string, reference: string): Notice | null =>
        read(notices.fetchByReference(tenant, rail, reference)),
    },
    bankFiles: {
      readStatement: (tenant: Tenant, hash: string): BankFile | null =>
        read(bankFiles.fetchStatement(tenant, hash)),
    },
  };
}
