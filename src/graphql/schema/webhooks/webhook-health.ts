import { LIMITS } from '../../../contract/limits.ts';
import { formatCount } from '../../../contract/quantities.ts';
import { loadInBatch } from '../../../domain/related/batches.ts';
import { type EndpointHealth, HEALTH_HOURS, healthOfEach, type LastFailure } from '../../../domain/webhooks/health.ts';
import { builder } from '../builder.ts';
import { WebhookEndpointNode } from './webhooks.ts';

const FailureObject = builder.objectRef<LastFailure>('WebhookFailure').implement({
  description: 'A failed attempt.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When the attempt started.' }),
    responseStatus: t.exposeInt('responseStatus', {
      nullable: true,
      description: 'The HTTP status of the response. Null: no response.',
    }),
    error: t.exposeString('error', { description: 'Why it failed.' }),
  }),
});

const HealthObject = builder.objectRef<EndpointHealth>('WebhookEndpointHealth').implement({
  description: `The attempts of an endpoint in the last ${HEALTH_HOURS} hours: at most the latest ${formatCount(LIMITS.webhookHealthAttempts)}.`,
  fields: (t) => ({
    attemptCount: t.exposeInt('attempts', { description: 'Finished attempts.' }),
    deliveredCount: t.exposeInt('delivered', { description: 'Attempts that delivered their message.' }),
    medianDurationMs: t.exposeInt('medianDurationMs', {
      nullable: true,
      description: 'Median milliseconds until the response status. Null: no attempt got a response.',
    }),
    lastFailure: t.expose('lastFailure', {
      type: FailureObject,
      nullable: true,
      description: 'The latest failed attempt. Null: no attempt failed.',
    }),
  }),
});

builder.objectField(WebhookEndpointNode, 'health', (t) =>
  t.field({
    type: HealthObject,
    description: 'How its latest attempts went.',
    resolve: ({ id }, _args, { domain }) =>
      loadInBatch(domain, 'health of webhook endpoints', id, (ids) => healthOfEach(domain, ids)),
  }),
);
