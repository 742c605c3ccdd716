import type { RequestHandler } from 'express';
import type pg from 'pg';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Observer } from '../domain/context.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** What the process counts, for Prometheus at `/metrics`. */
export interface Metrics {
  readonly observer: Observer;
  readonly countRequests: RequestHandler;
  readonly expose: RequestHandler;
}

export function createMetrics(pool: pg.Pool, activeRuns: () => number): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register });
  gauges(register, pool, activeRuns);
  const requests = new Histogram({
    name: 'parley_http_request_duration_seconds',
    help: 'Time to answer a request, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [register],
  });
  return {
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

function observer(register: Registry): Observer {
  const turns = new Counter({
    name: 'parley_turns_total',
    help: 'Turns of the assistant by their outcome.',
    labelNames: ['outcome'],
    registers: [register],
  });
  const model = new Histogram({
    name: 'parley_model_step_duration_seconds',
    help: 'Time of one model step, by model and outcome.',
    labelNames: ['model', 'outcome'],
    buckets: SECONDS,
    registers: [register],
  });
  const actions = new Histogram({
    name: 'parley_action_duration_seconds',
    help: 'Time of one server action, by what runs it and outcome.',
    labelNames: ['source', 'outcome'],
    buckets: SECONDS,
    registers: [register],
  });
  const subscriptions = new Gauge({
    name: 'parley_subscriptions',
    help: 'Subscriptions that are open in this process.',
    registers: [register],
  });
  const webhooks = new Counter({
    name: 'parley_webhook_attempts_total',
    help: 'Attempts to deliver a webhook by their outcome.',
    labelNames: ['outcome'],
    registers: [register],
  });
  return {
    subscriptionOpened: () => {
      subscriptions.inc();
      return () => subscriptions.dec();
    },
    turnEnded: (outcome) => turns.inc({ outcome }),
    webhookAttempted: (outcome) => webhooks.inc({ outcome }),
    actionRan: (source, outcome, durationMs) => actions.observe({ source, outcome }, durationMs / 1_000),
    modelAnswered: (name, outcome, durationMs) => model.observe({ model: name, outcome }, durationMs / 1_000),
  };
}

function gauges(register: Registry, pool: pg.Pool, activeRuns: () => number): void {
  new Gauge({
    name: 'parley_active_runs',
    help: 'Runs that this process works on.',
    registers: [register],
    collect() {
      this.set(activeRuns());
    },
  });
  new Gauge({
    name: 'parley_database_connections',
    help: 'Connections of the pool, and requests that wait for one.',
    labelNames: ['state'],
    registers: [register],
    collect() {
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
}
