/** Metrics for operators, in the format of Prometheus. */
import type { FastifyInstance } from 'fastify';
import { sharedCall } from '../lib/shared-call.ts';
import type { BackupResult } from '../store/backup-result.ts';
import type { Gauges } from '../store/resources/work.ts';
import type { Store } from '../store/store.ts';
import type { SendResult } from '../webhooks/sender.ts';
import type { Arrivals } from './arrivals.ts';
import { createCounter, createGauge, createReadCounter } from './counters.ts';
import { createHistogram, type Observe } from './histogram.ts';
import { watchProcess } from './process-metrics.ts';
import type { LeftOut } from './request-log.ts';

/** Time for which numbers of the database are shown again. */
const GAUGES_MS = 1_000;

export type Metrics = ReturnType<typeof createMetrics>;

/** Metrics of the process, which all services in it share. They are watched from when they are asked for the first time. */
let ofProcess: ReturnType<typeof watchProcess> | undefined;

/** `lastBackup` gives the result of the last backup, or null; it is absent where that is not known here. */
export function createMetrics(store: Store, lastBackup?: () => BackupResult | null) {
  const requests = createHistogram(
    'opentill_http_request_duration_seconds',
    'Duration of HTTP requests.',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
  );
  const deliveries = createCounter(
    'opentill_webhook_deliveries_total',
    'Webhook delivery attempts, by outcome.',
    'outcome',
  );
  const damagedDeliveries = createCounter(
    'opentill_webhook_deliveries_damaged_total',
    'Webhooks that were not sent because their event is damaged, each counted every ten minutes; the log names them.',
  );
  const railAlerts = createCounter(
    'opentill_rail_alerts_total',
    'Reports of rails that need the attention of an operator; the log has the details.',
    'rail',
  );
  const railSilences = createCounter(
    'opentill_rail_silences_total',
    'Requests that a rail did not answer; each is repeated.',
    'rail',
  );
  const overload = createCounter(
    'opentill_changes_refused_total',
    'Changes that were refused with 503 before anything was done, because too many others waited.',
  );
  const connections = createCounter(
    'opentill_connections_refused_total',
    'Connections that were closed as soon as they were opened, because their address had too many.',
  );
  const pipelined = createCounter(
    'opentill_pipelined_requests_refused_total',
    'Requests that were refused with 429 because too many of their connection waited for their answers.',
  );
  const badSignatures = createCounter(
    'opentill_provider_events_refused_total',
    'Provider events without a valid signature.',
    'rail',
  );
  const unlogged = createCounter(
    'opentill_requests_not_logged_total',
    'Requests that are missing in the log of requests: `alike`, too many of the same kind; `full`, too many at once; `failed`, the database did not take them.',
    'reason',
  );
  const feedRepairs = createReadCounter(
    'opentill_feed_repairs_total',
    'Event feeds that had lost their end and recovered by themselves; the log names them.',
    () => store.feedTroubles().repairs,
  );
  const counters = [
    deliveries,
    damagedDeliveries,
    railAlerts,
    railSilences,
    overload,
    connections,
    pipelined,
    badSignatures,
    unlogged,
    feedRepairs,
  ];
  const gauges: ReturnType<typeof createGauge>[] = [];
  const readGauges = sharedCall(() => store.gauges(), GAUGES_MS);
  const gauge = (name: string, help: string, pick: (read: Gauges) => number) =>
    gauges.push(createGauge(name, help, async () => pick(await readGauges())));
  gauges.push(
    createGauge(
      'opentill_feeds_stuck',
      'Event feeds that are stuck and cannot recover by themselves; the log names them.',
      async () => store.feedTroubles().stuck,
    ),
  );
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
    'Provider events that wait for a person: they matched nothing, or their rail has not told of the payment.',
    ({ openProviderEvents }) => openProviderEvents,
  );

  if (lastBackup !== undefined) {
    // One read for the three of them.
    const read = sharedCall(async () => lastBackup(), 0);
    const ofBackup = (name: string, help: string, pick: (last: BackupResult) => number) =>
      gauges.push(
        createGauge(name, help, async () => {
          const last = await read();
          return last === null ? 0 : pick(last);
        }),
      );
    ofBackup(
      'opentill_backup_last_run_timestamp_seconds',
      'Time at which the last `opentill db backup` ended, 0 if none is known.',
      ({ endedAt }) => endedAt / 1000,
    );
    ofBackup(
      'opentill_backup_last_run_success',
      '1 if the last `opentill db backup` made a copy that breaks no rule, else 0.',
      ({ result }) => (result === 'ok' ? 1 : 0),
    );
    ofBackup(
      'opentill_backup_last_success_timestamp_seconds',
      'Time of the last such copy, 0 if none is known.',
      ({ succeededAt }) => (succeededAt ?? 0) / 1000,
    );
  }

  /** Series by route, method and status: to join the three into a text took four times as long as to count a request. */
  const answers = new Map<string, Map<string, Map<number, Observe>>>();

  /** Counts a request that was answered. `route` is the pattern of its path, which would make a series for each id. */
  function answered(method: string, route: string, status: number, elapsedMs: number): void {
    const observe = answers.get(route)?.get(method)?.get(status) ?? newAnswers(method, route, status);
    observe(elapsedMs / 1000);
  }

  function newAnswers(method: string, route: string, status: number): Observe {
    const observe = requests.series(`method="${method}",route="${route}",status="${status}"`);
    const ofRoute = answers.get(route) ?? new Map<string, Map<number, Observe>>();
    const ofMethod = ofRoute.get(method) ?? new Map<number, Observe>();
    answers.set(route, ofRoute.set(method, ofMethod.set(status, observe)));
    return observe;
  }

  return {
    answered,
    sent: ({ outcome }: SendResult): void => deliveries.add(outcome),
    damaged: (): void => damagedDeliveries.add(),
    railAlert: (rail: string): void => railAlerts.add(rail),
    railSilence: (rail: string): void => railSilences.add(rail),
    overloaded: (): void => overload.add(),
    connectionRefused: (): void => connections.add(),
    pipelinedRefused: (): void => pipelined.add(),
    badSignature: (rail: string): void => badSignatures.add(rail),
    notLogged: (reason: LeftOut, count: number): void => unlogged.add(reason, count),
    async text(): Promise<string> {
      const ours = await Promise.all([...counters, ...gauges, requests].map((each) => each.text()));
      ofProcess ??= watchProcess();
      return (await ofProcess()) + ours.join('');
    },
    contentType: 'text/plain; version=0.0.4; charset=utf-8',

    /** `waitedMs` is what a request has waited before the framework had it. */
    observe(app: FastifyInstance, waitedMs: Arrivals['waitedMs']): void {
      app.addHook('onResponse', (request, reply, done) => {
        const { url = 'unknown' } = request.routeOptions;
        answered(request.method, url, reply.statusCode, waitedMs(request.raw) + reply.elapsedTime);
        done();
      });
    },
  };
}
