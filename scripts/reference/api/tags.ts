/** Groups of operations, in the order of the reference. */
import { WEBHOOK_TAG } from './webhooks.ts';

export const tags = [
  {
    name: 'Checkout sessions',
    description: 'A session asks a payer for an amount, on a hosted page, until it is paid or expires.',
  },
  {
    name: 'Payments',
    description: 'The money of a session: its payin, and each attempt of the payer to pay.',
  },
  { name: 'Refunds', description: 'Return payments to their payers, in full or in part.' },
  {
    name: 'Money',
    description: 'Movements of money by time, and their totals for each currency and interval.',
  },
  {
    name: 'Bank',
    description:
      'Bank transfers: import statements, decide about entries that match no session, and create payment files for refunds.',
  },
  { name: 'Customers', description: 'Records of payers, and the erasure of their personal data.' },
  {
    name: 'Events',
    description: 'Every change writes events: follow them in order, without gaps, by polling or as a stream.',
  },
  { name: 'Webhook endpoints', description: 'Addresses that receive the events of an account and mode.' },
  { name: 'Webhook deliveries', description: 'Events on their way to receivers: inspect and resend them.' },
  { name: 'Account', description: 'What an account and mode has.' },
  { name: 'API keys', description: 'Create, list and revoke the keys of an account and mode.' },
  { name: 'Members', description: 'People who sign in to the dashboard, with a role on the account.' },
  {
    name: 'Installation',
    description:
      'All accounts, and the log of what concerns no single one: for those who operate the service.',
  },
  { name: 'Test helpers', description: 'Pay sessions and advance the clock, in test mode only.' },
  {
    name: WEBHOOK_TAG,
    description:
      'Requests that the service sends to the `webhook_url` of a session and to webhook endpoints: signed (Standard Webhooks), at least once, and in order for each session and receiver.',
  },
];
