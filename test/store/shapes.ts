/** Says which sessions have the same shape to V8; to be run with `--allow-natives-syntax`. */
import type { CheckoutCommand } from '../../src/checkout/commands.ts';
import { decide } from '../../src/checkout/decide.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import { checkoutFromRow, checkoutRow } from '../../src/store/columns.ts';
import { create, update } from '../checkout/build.ts';

const isRecord = new Function('object', 'return %HasFastProperties(object)');
const haveOneShape = new Function('one', 'other', 'return %HaveSameMap(one, other)');

function decided(before: Checkout | null, command: CheckoutCommand): Checkout {
  const decision = decide(before, command);
  if (decision.kind === 'refusal') throw new Error(JSON.stringify(decision));
  return decision.checkout;
}

const items = [{ name: 'Widget', quantity: 1, unitPrice: 100 }];
const created = decided(null, create());
const read = checkoutFromRow(created.tenant, { ...checkoutRow(created), payments: null });
const others = { read, updated: decided(created, update({ items })), both: decided(read, update({ items })) };
if (!isRecord(created)) console.log('created: a hash table');
for (const [name, session] of Object.entries(others)) {
  if (!haveOneShape(created, session)) console.log(`${name}: another shape`);
}
