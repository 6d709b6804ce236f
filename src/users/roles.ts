/** Roles of users on an account: what each may do there, in both modes. */
import { accountPermissions, type Permission } from '../accounts/api-key.ts';

export const roleNames = ['owner', 'finance', 'support', 'read_only'] as const;
export type Role = (typeof roleNames)[number];

/** Rights of a caller: all that needs one of the permissions, and these operations besides. */
export type Rights = {
  readonly permissions: readonly Permission[];
  readonly operations: readonly string[];
};

const reading = [
  'AUDIT.LIST',
  'REQUEST.LIST',
  'WEBHOOK_DELIVERY.LIST',
  'WEBHOOK_DELIVERY.FETCH',
  'WEBHOOK_ENDPOINT.LIST',
  'WEBHOOK_ENDPOINT.FETCH',
] as const;

const rights: Readonly<Record<Role, Rights & { readonly meaning: string }>> = {
  owner: { meaning: 'do everything', permissions: accountPermissions, operations: [] },
  finance: {
    meaning:
      'see sessions, customers and webhooks, refund, look at provider events again, and work with bank statements and payment files',
    permissions: ['read', 'refund', 'bank'],
    operations: [...reading, 'PROVIDER_EVENT.RETRY'],
  },
  support: {
    meaning:
      'see sessions, customers and webhooks, expire sessions, send webhooks and look at provider events again',
    permissions: ['read'],
    operations: [
      ...reading,
      'CHECKOUT.EXPIRE',
      'PROVIDER_EVENT.RETRY',
      'WEBHOOK_DELIVERY.RESEND',
      'WEBHOOK_DELIVERY.RESEND_FAILED',
    ],
  },
  read_only: {
    meaning: 'see sessions, customers and webhooks',
    permissions: ['read'],
    operations: reading,
  },
};

/** Rights of those who operate the installation, whatever accounts they work for. */
export const operatorRights: Rights = { permissions: ['accounts'], operations: [] };

export const rightsOf = (role: Role): Rights => rights[role];

/** Meaning of the role, in words that go on from "may". */
export const meaningOf = (role: Role): string => rights[role].meaning;

export const isRole = (text: string): text is Role => (roleNames as readonly string[]).includes(text);
