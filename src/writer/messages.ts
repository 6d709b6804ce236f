import type { Executed, Order } from '../transact.ts';

export type WriterData = { readonly path: string; readonly checkoutUrl: string };

export type OrderMessage = { readonly number: number; readonly order: Order };

export type ResultMessage =
  | { readonly number: number; readonly executed: Executed }
  | { readonly number: number; readonly failure: string; readonly unavailable: boolean };
