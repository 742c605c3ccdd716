import type { RequestHandler } from 'express';
import type pg from 'pg';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import type { Observer, UnownedTurns, WaitingConversations } from '../domain/telemetry.ts';
import type { FreeSpace } from './health.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** The Prometheus metrics of the process, for `/metrics`. */
export interface Metrics {
  readonly registry: Registry;
  readonly observer: Observer;
  readonly countRequests: RequestHandler;
  readonly expose: RequestHandler;
}

/** What the metrics of a moment read. */
export interface MeasuredParts {
  readonly pool: pg.Pool;
  readonly activeRuns: () => number;
  readonly space: () => Promise<FreeSpace | undefined>;
  readonly unowned: () => Promise<UnownedTurns>;
  readonly waiting: () => Promise<WaitingConversations>;
}

export function createMetrics(parts: MeasuredParts): Metrics {
  const register = new Registry();
  for (const metric of processMetrics().getMetricsAsArray()) register.registerMetric(metric as unknown as Metric);
  gauges(register, parts);
  spaceGauges(register, parts);
  unownedGauges(register, parts);
  waitingGauges(register, parts);
  const requests = new Histogram({
    name: 'parley_http_request_duration_seconds',
    help: 'Response time in seconds by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [register],
  });
  return {
    registry: register,
    observer: observer(register),
    countRequests: (request, response, next) => {
      const end = requests.startTimer();
      response.on('finish', () => {
        const { path } = (request.route as { path?: string } | undefined) ?? {};
        const route = path ?? (request.baseUrl || 'none');
        end({ method: request.method, route, status: response.statusCode });
      });
      next();
    },
    expose: async (_request, response) => {
      response.type(register.contentType).send(await register.metrics());
    },
  };
}

let processRegistry: Registry | undefined;

/** CPU, memory and garbage collection. Their observers never end, so services of one process share them. */
function processMetrics(): Registry {
  if (processRegistry) return processRegistry;
  processRegistry = new Registry();
  collectDefaultMetrics({ register: processRegistry });
  return processRegistry;
}

function observer(register: Registry): Observer {
  const turns = new Counter({
    name: 'parley_turns_total',
    help: 'Turns by outcome.',
    labelNames: ['outcome'],
    registers: [register],
  });
  const summaries = new Counter({
    name: 'parley_summaries_total',
    help: 'Summaries of conversations by outcome.',
    labelNames: ['outcome'],
    registers: [register],
  });
  const model = new Histogram({
    name: 'parley_model_step_duration_seconds',
    help: 'Duration of a model step in seconds by model and outcome.',
    labelNames: ['model', 'outcome'],
    buckets: SECONDS,
    registers: [register],
  });
  const actions = new Histogram({
    name: 'parley_action_duration_seconds',
    help: 'Duration of a server action in seconds by source and outcome.',
    labelNames: ['source', 'outcome'],
    buckets: SECONDS,
    registers: [register],
  });
  const subscriptions = new Gauge({
    name: 'parley_subscriptions',
    help: 'Open subscriptions of this process.',
    registers: [register],
  });
  const webhooks = new Counter({
    name: 'parley_webhook_attempts_total',
    help: 'Webhook delivery attempts by outcome.',
    labelNames: ['outcome'],
    registers: [register],
  });
  const pausedEndpoints = new Gauge({
    name: 'parley_webhook_endpoints_paused',
    help: 'Webhook endpoints with an open circuit breaker in all environments. Every process reports the same number.',
    registers: [register],
  });
  return {
    ...mailObserver(register),
    ...handlingObserver(register),
    subscriptionOpened: () => {
      subscriptions.inc();
      return () => subscriptions.dec();
    },
    turnEnded: (outcome) => turns.inc({ outcome }),
    summaryEnded: (outcome) => summaries.inc({ outcome }),
    webhookAttempted: (outcome) => webhooks.inc({ outcome }),
    webhookEndpointsPaused: (count) => pausedEndpoints.set(count),
    actionRan: (source, outcome, durationMs) => actions.observe({ source, outcome }, durationMs / 1_000),
    modelAnswered: (name, outcome, durationMs) => model.observe({ model: name, outcome }, durationMs / 1_000),
  };
}

function handlingObserver(register: Registry): Pick<Observer, 'personAnswered'> {
  const answers = new Histogram({
    name: 'parley_first_answer_duration_seconds',
    help: 'Seconds from the start of the wait for a person to the first message of the person.',
    buckets: [10, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 86_400],
    registers: [register],
  });
  return {
    personAnswered: (waitedMs) => answers.observe(waitedMs / 1_000),
  };
}

function mailObserver(register: Registry): Pick<Observer, 'mailSettled' | 'mailsWaiting'> {
  const settled = new Counter({
    name: 'parley_mails_total',
    help: 'Attempts to send a mail by kind and outcome.',
    labelNames: ['kind', 'outcome'],
    registers: [register],
  });
  const waiting = new Gauge({
    name: 'parley_mails_waiting',
    help: 'Mails that wait to be sent, by priority. Every process reports the same number.',
    labelNames: ['priority'],
    registers: [register],
  });
  const oldest = new Gauge({
    name: 'parley_mail_oldest_seconds',
    help: 'The age of the oldest mail that waits, by priority. Every process reports the same number.',
    labelNames: ['priority'],
    registers: [register],
  });
  return {
    mailSettled: (kind, outcome) => settled.inc({ kind, outcome }),
    mailsWaiting: (priority, count, oldestSeconds) => {
      waiting.set({ priority }, count);
      oldest.set({ priority }, oldestSeconds);
    },
  };
}

function gauges(register: Registry, { pool, activeRuns }: MeasuredParts): void {
  new Gauge({
    name: 'parley_active_runs',
    help: 'Active runs of this process.',
    registers: [register],
    collect() {
      this.set(activeRuns());
    },
  });
  new Gauge({
    name: 'parley_database_connections',
    help: 'Busy and idle connections of the pool, and requests that wait for a connection.',
    labelNames: ['state'],
    registers: [register],
    collect() {
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
}

/** Returns a function that adds a gauge of facts that are read with the metrics. It has no value if they cannot be read. */
function gaugesOf<Facts>(register: Registry, facts: () => Promise<Facts | undefined>) {
  return (name: string, help: string, read: (facts: Facts) => number) =>
    new Gauge({
      name,
      help,
      registers: [register],
      async collect() {
        const now = await facts().catch(() => undefined);
        if (now) this.set(read(now));
        else this.remove();
      },
    });
}

/** A bucket does not say its free space. */
function spaceGauges(register: Registry, { space }: MeasuredParts): void {
  const gauge = gaugesOf<FreeSpace>(register, space);
  gauge('parley_files_free_bytes', 'Free space of the file system of uploaded files.', ({ freeBytes }) => freeBytes);
  gauge('parley_files_reserved_bytes', 'With less free space uploads get 507.', ({ reservedBytes }) => reservedBytes);
}

function waitingGauges(register: Registry, { waiting }: MeasuredParts): void {
  const gauge = gaugesOf(register, waiting);
  gauge(
    'parley_conversations_waiting',
    'Conversations that wait for a person in all environments. Every process reports the same number.',
    ({ count }) => count,
  );
  gauge(
    'parley_conversation_waiting_oldest_seconds',
    'How long the first of them has waited. Every process reports the same number.',
    ({ oldestSeconds }) => oldestSeconds,
  );
}

/** Without values while the database does not respond. */
function unownedGauges(register: Registry, { unowned }: MeasuredParts): void {
  const gauge = (name: string, help: string, read: (turns: UnownedTurns[keyof UnownedTurns]) => number) =>
    new Gauge({
      name,
      help: `${help} Every process reports the same number.`,
      labelNames: ['state'],
      registers: [register],
      async collect() {
        const turns = await unowned().catch(() => undefined);
        for (const state of ['lost', 'waiting'] as const) {
          if (turns) this.set({ state }, read(turns[state]));
          else this.remove({ state });
        }
      },
    });
  gauge('parley_turns_unowned', 'Running turns that no process works on, by state.', ({ count }) => count);
  gauge(
    'parley_turn_unowned_oldest_seconds',
    'How long the first of them has had no process, by state.',
    ({ oldestSeconds }) => oldestSeconds,
  );
}
