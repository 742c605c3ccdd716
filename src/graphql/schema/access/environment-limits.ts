import {
  type EnvironmentLimits,
  readEnvironmentLimits,
  setEnvironmentLimits,
} from '../../../domain/access/workspaces/environment-limits.ts';
import { ENVIRONMENT_LIMITS, SET_ENVIRONMENT_LIMITS } from '../../../shapes/environment.ts';
import { builder } from '../builder.ts';
import { mutation } from '../mutation.ts';
import { inputType, outputFields } from '../shape-fields.ts';

const LimitsObject = builder.objectRef<EnvironmentLimits>('EnvironmentLimits').implement({
  description: 'Limits of an environment, in addition to the limits of its keys and deployments.',
  fields: (t) => outputFields(t, ENVIRONMENT_LIMITS),
});

builder.queryField('environmentLimits', (t) =>
  t.field({
    publishing: 'never',
    type: LimitsObject,
    access: { administrator: true },
    description: 'The limits of the environment. Needs a session of an owner or admin.',
    resolve: (_root, _args, { domain }) => readEnvironmentLimits(domain),
  }),
);

mutation('setEnvironmentLimits', {
  publishing: 'never',
  access: { administrator: true },
  description:
    'Changes the limits of the environment. Takes effect with the next request. Requests over a limit get 429. Needs a session of an owner or admin.',
  input: inputType(SET_ENVIRONMENT_LIMITS),
  errors: ['invalid_request'],
  resolve: (input, { domain }) => setEnvironmentLimits(domain, input),
  payload: (t) => ({
    environmentLimits: t.field({ type: LimitsObject, description: 'The new limits.', resolve: (limits) => limits }),
  }),
});
