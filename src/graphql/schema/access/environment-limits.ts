import { LIMITS } from '../../../contract/limits.ts';
import { formatCount } from '../../../contract/quantities.ts';
import {
  type EnvironmentLimits,
  readEnvironmentLimits,
  setEnvironmentLimits,
} from '../../../domain/access/workspaces/environment-limits.ts';
import { builder } from '../builder.ts';
import { mutation } from '../mutation.ts';

const LimitsObject = builder.objectRef<EnvironmentLimits>('EnvironmentLimits').implement({
  description: 'Limits of an environment, in addition to the limits of its keys and deployments.',
  fields: (t) => ({
    requestsPerMinute: t.exposeInt('requestsPerMinute', {
      nullable: true,
      description: 'Requests per minute of all callers together. Null: no limit.',
    }),
    concurrentRuns: t.exposeInt('concurrentRuns', {
      nullable: true,
      description: 'Turns that can run at the same time. Null: no limit.',
    }),
    backgroundRuns: t.exposeInt('backgroundRuns', {
      nullable: true,
      description: `Background turns that can run at the same time. Others wait in order. Null: ${LIMITS.defaultBackgroundRuns}.`,
    }),
    fileMegabytes: t.exposeInt('fileMegabytes', {
      nullable: true,
      description: `MiB of all uploaded files together. Null: ${formatCount(LIMITS.defaultFileMegabytes)}.`,
    }),
  }),
});

const SetEnvironmentLimitsInput = builder.inputType('SetEnvironmentLimitsInput', {
  description: 'Changes to the limits. Omitted limits stay as they are. Null restores the default.',
  fields: (t) => ({
    requestsPerMinute: t.int({
      description: `Requests per minute of all callers together: 1 to ${formatCount(LIMITS.ratePerMinute)}.`,
    }),
    concurrentRuns: t.int({
      description: `Turns that can run at the same time: 1 to ${formatCount(LIMITS.concurrentRuns)}.`,
    }),
    backgroundRuns: t.int({
      description: `Background turns that can run at the same time: 1 to ${formatCount(LIMITS.concurrentRuns)}. Others wait in order. Default: ${LIMITS.defaultBackgroundRuns}.`,
    }),
    fileMegabytes: t.int({
      description: `MiB of all uploaded files together: 1 to ${formatCount(LIMITS.fileMegabytes)}. Default: ${formatCount(LIMITS.defaultFileMegabytes)}.`,
    }),
  }),
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
  input: SetEnvironmentLimitsInput,
  errors: ['invalid_request'],
  resolve: (input, { domain }) => setEnvironmentLimits(domain, input),
  payload: (t) => ({
    environmentLimits: t.field({ type: LimitsObject, description: 'The new limits.', resolve: (limits) => limits }),
  }),
});
