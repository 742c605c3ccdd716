import {
  type EnvironmentLimits,
  readEnvironmentLimits,
  setEnvironmentLimits,
} from '../domain/access/environment-limits.ts';
import { builder } from './builder.ts';

const Limits = builder.objectRef<EnvironmentLimits>('EnvironmentLimits').implement({
  description: 'What an environment is limited to, beside the limits of its keys and deployments.',
  fields: (t) => ({
    requestsPerMinute: t.exposeInt('requestsPerMinute', {
      nullable: true,
      description: 'Requests a minute of all its callers together; null for no limit.',
    }),
    concurrentRuns: t.exposeInt('concurrentRuns', {
      nullable: true,
      description: 'Turns that may be at work at once; null for no limit.',
    }),
  }),
});

const EnvironmentLimitsInput = builder.inputType('EnvironmentLimitsInput', {
  description: 'What is to be other. What is left out stays, and null takes a limit off.',
  fields: (t) => ({
    requestsPerMinute: t.int({ description: 'Requests a minute of all its callers together: 1 to 1,000,000.' }),
    concurrentRuns: t.int({ description: 'Turns that may be at work at once: 1 to 100,000.' }),
  }),
});

builder.queryField('environmentLimits', (t) =>
  t.field({
    type: Limits,
    authScopes: { administrator: true },
    description: 'What the environment is limited to. Needs a session of an owner or admin.',
    resolve: (_root, _args, { domain }) => readEnvironmentLimits(domain),
  }),
);

builder.mutationField('setEnvironmentLimits', (t) =>
  t.field({
    type: Limits,
    authScopes: { administrator: true },
    description:
      'Limits the environment, from the next request on. What is over a limit is answered 429. Needs a session of an owner or admin.',
    args: { input: t.arg({ type: EnvironmentLimitsInput, required: true, description: 'The limits.' }) },
    resolve: (_root, { input }, { domain }) => setEnvironmentLimits(domain, input),
  }),
);
