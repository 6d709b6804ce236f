/** Rows of the bench, all in the order in which they run. */
import type { Row } from './row.ts';
import { dashboardRows } from './rows/dashboard.ts';
import { deliveryRows } from './rows/deliveries.ts';
import { hourRow } from './rows/hour.ts';
import { latency } from './rows/latency.ts';
import { layerRow } from './rows/layers.ts';
import { listRows } from './rows/lists.ts';
import { postgresRows } from './rows/postgres.ts';
import { processRows } from './rows/process.ts';
import { steadyRow } from './rows/steady.ts';
import { throughput } from './rows/throughput.ts';

export const rows: readonly Row[] = [
  ...throughput,
  layerRow,
  ...latency,
  ...listRows,
  ...dashboardRows,
  ...processRows,
  ...deliveryRows,
  ...postgresRows,
  steadyRow,
  hourRow,
];
