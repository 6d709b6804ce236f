/** Numbers for operators in the format of Prometheus. */
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Gauges, Store } from '../store/store.ts';
import type { SendResult } from '../webhooks/sender.ts';

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(store: Store) {
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  collectDefaultMetrics({ register: registry });

  const requests = new Histogram({
    name: 'opentill_http_request_duration_seconds',
    help: 'Duration of HTTP requests.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  const deliveries = new Counter({
    name: 'opentill_webhook_deliveries_total',
    help: 'Attempts to deliver a webhook, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const railAlerts = new Counter({
    name: 'opentill_rail_alerts_total',
    help: 'What rails have said that an operator has to look at; the log has the words.',
    labelNames: ['rail'],
    registers,
  });
  const railSilences = new Counter({
    name: 'opentill_rail_silences_total',
    help: 'Questions that a rail has not answered; each is asked again.',
    labelNames: ['rail'],
    registers,
  });
  const badSignatures = new Counter({
    name: 'opentill_notices_refused_total',
    help: 'Notices without a valid signature of their provider.',
    labelNames: ['rail'],
    registers,
  });
  const gauge = (name: string, help: string, pick: (gauges: Gauges) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        // What cannot be counted now must not keep the other numbers from whoever looks into the trouble.
        this.set(await store.gauges().then(pick, () => Number.NaN));
      },
    });
  gauge(
    'opentill_webhook_deliveries_pending',
    'Webhooks that have not arrived yet.',
    ({ pendingDeliveries }) => pendingDeliveries,
  );
  gauge(
    'opentill_webhook_receivers_suspended',
    'Receivers of webhooks that fail so often that they only get probes.',
    ({ suspendedReceivers }) => suspendedReceivers,
  );
  gauge(
    'opentill_notices_open',
    'Entries of bank statements, and notices of providers, that wait for a person.',
    ({ openNotices }) => openNotices,
  );

  return {
    sent: ({ outcome }: SendResult): void => deliveries.inc({ outcome }),
    railAlert: (rail: string): void => railAlerts.inc({ rail }),
    railSilence: (rail: string): void => railSilences.inc({ rail }),
    badSignature: (rail: string): void => badSignatures.inc({ rail }),
    text: (): Promise<string> => registry.metrics(),
    contentType: registry.contentType,

    observe(app: FastifyInstance): void {
      app.addHook('onResponse', (request, reply, done) => {
        requests.observe(
          {
            method: request.method,
            // The pattern, never the path: ids would make a series each.
            route: request.routeOptions.url ?? 'unknown',
            status: reply.statusCode,
          },
          reply.elapsedTime / 1000,
        );
        done();
      });
    },
  };
}
