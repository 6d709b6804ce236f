/** Metrics for operators, in the format of Prometheus. */
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { sharedCall } from '../lib/shared-call.ts';
import type { BackupResult } from '../store/backup-result.ts';
import type { Gauges } from '../store/resources/work.ts';
import type { Store } from '../store/store.ts';
import type { SendResult } from '../webhooks/sender.ts';
import { createHistogram } from './histogram.ts';

/** Time for which numbers of the database are shown again. */
const GAUGES_MS = 1_000;

export type Metrics = ReturnType<typeof createMetrics>;

/** Metrics of the process. Their collectors listen as long as it lives, so all services in it share them. */
let ofProcess: Registry | undefined;

function processMetrics(): Registry {
  if (ofProcess !== undefined) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  return ofProcess;
}

/** `lastBackup` gives the result of the last backup, or null; it is absent where that is not known here. */
export function createMetrics(store: Store, lastBackup?: () => BackupResult | null) {
  const registry = new Registry();
  const registers = [registry];

  const requests = createHistogram(
    'opentill_http_request_duration_seconds',
    'Duration of HTTP requests.',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
  );
  const deliveries = new Counter({
    name: 'opentill_webhook_deliveries_total',
    help: 'Webhook delivery attempts, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const damagedDeliveries = new Counter({
    name: 'opentill_webhook_deliveries_damaged_total',
    help: 'Webhooks that were not sent since their event is damaged, each counted every ten minutes; the log names them.',
    registers,
  });
  const railAlerts = new Counter({
    name: 'opentill_rail_alerts_total',
    help: 'Reports of rails that need the attention of an operator; the log has the details.',
    labelNames: ['rail'],
    registers,
  });
  const railSilences = new Counter({
    name: 'opentill_rail_silences_total',
    help: 'Requests that a rail did not answer; each is repeated.',
    labelNames: ['rail'],
    registers,
  });
  const overload = new Counter({
    name: 'opentill_changes_refused_total',
    help: 'Changes that were refused with 503 before anything was done, because too many others waited.',
    registers,
  });
  const badSignatures = new Counter({
    name: 'opentill_provider_events_refused_total',
    help: 'Provider events without a valid signature.',
    labelNames: ['rail'],
    registers,
  });
  const readGauges = sharedCall(() => store.gauges(), GAUGES_MS);
  const gauge = (name: string, help: string, pick: (gauges: Gauges) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        // A gauge that cannot be read must not hide the other metrics during an outage.
        this.set(await readGauges().then(pick, () => Number.NaN));
      },
    });
  gauge(
    'opentill_webhook_deliveries_pending',
    'Webhook deliveries that have not succeeded yet.',
    ({ pendingDeliveries }) => pendingDeliveries,
  );
  gauge(
    'opentill_webhook_receivers_suspended',
    'Webhook receivers that are suspended after repeated failures and only get probes.',
    ({ suspendedReceivers }) => suspendedReceivers,
  );
  gauge(
    'opentill_bank_entries_open',
    'Bank entries that wait for a person.',
    ({ openBankEntries }) => openBankEntries,
  );
  gauge(
    'opentill_provider_events_open',
    'Provider events that matched nothing, or whose rail did not answer, so that a person has to look.',
    ({ openProviderEvents }) => openProviderEvents,
  );

  if (lastBackup !== undefined) {
    // One read for the three of them.
    const read = sharedCall(async () => lastBackup(), 0);
    const ofBackup = (name: string, help: string, pick: (last: BackupResult) => number) =>
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          const last = await read();
          this.set(last === null ? 0 : pick(last));
        },
      });
    ofBackup(
      'opentill_backup_last_run_timestamp_seconds',
      'When the last `opentill db backup` ended, 0 if none is known.',
      ({ endedAt }) => endedAt / 1000,
    );
    ofBackup(
      'opentill_backup_last_run_success',
      '1 if the last `opentill db backup` made a copy that breaks no rule, else 0.',
      ({ result }) => (result === 'ok' ? 1 : 0),
    );
    ofBackup(
      'opentill_backup_last_success_timestamp_seconds',
      'When the last such copy was made, 0 if none is known.',
      ({ succeededAt }) => (succeededAt ?? 0) / 1000,
    );
  }

  return {
    sent: ({ outcome }: SendResult): void => deliveries.inc({ outcome }),
    damaged: (): void => damagedDeliveries.inc(),
    railAlert: (rail: string): void => railAlerts.inc({ rail }),
    railSilence: (rail: string): void => railSilences.inc({ rail }),
    overloaded: (): void => overload.inc(),
    badSignature: (rail: string): void => badSignatures.inc({ rail }),
    text: async (): Promise<string> =>
      (await Registry.merge([processMetrics(), registry]).metrics()) + requests.text(),
    contentType: registry.contentType,

    observe(app: FastifyInstance): void {
      app.addHook('onResponse', (request, reply, done) => {
        const { url = 'unknown' } = request.routeOptions;
        requests.observe(request.method, url, reply.statusCode, reply.elapsedTime / 1000);
        done();
      });
    },
  };
}
