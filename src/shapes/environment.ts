import { LIMITS } from '../contract/limits.ts';
import { formatCount } from '../contract/quantities.ts';
import { input, required } from './field.ts';
import { integer, number, text } from './kinds.ts';

/** The limits of an environment. Each is a column of the same name. */
export const ENVIRONMENT_LIMITS = {
  requestsPerMinute: integer({
    says: 'Requests per minute of all callers together',
    most: LIMITS.ratePerMinute,
    without: 'no limit',
  }),
  concurrentRuns: integer({
    says: 'Turns that can run at the same time',
    most: LIMITS.concurrentRuns,
    without: 'no limit',
  }),
  backgroundRuns: integer({
    says: 'Background turns that can run at the same time',
    note: 'Others wait in order.',
    most: LIMITS.concurrentRuns,
    without: formatCount(LIMITS.defaultBackgroundRuns),
  }),
  fileMegabytes: integer({
    says: 'MiB of all uploaded files together',
    most: LIMITS.fileMegabytes,
    without: formatCount(LIMITS.defaultFileMegabytes),
  }),
};

export const SET_ENVIRONMENT_LIMITS = input(
  'SetEnvironmentLimitsInput',
  'Changes to the limits. Omitted limits stay as they are. Null restores the default.',
  ENVIRONMENT_LIMITS,
);

export const SET_RETENTION = input('SetRetentionInput', 'The retention period of the environment.', {
  days: integer({ says: 'Days', most: LIMITS.retentionDays, form: 'Null: conversations are never deleted.' }),
  traceDays: integer({
    says: 'Days for which traces of turns are kept',
    note: '0: the service writes no traces. Omit it to keep the current value.',
    least: 0,
    most: LIMITS.traceDays,
  }),
});

const price = (tokens: string, without?: string) =>
  number({
    ...{ says: `Price per 1M ${tokens}`, least: 0, most: LIMITS.pricePerMillion },
    ...(without !== undefined && { without }),
  });

const cachePrice = (tokens: string) => price(tokens, 'the price of input tokens');

export const SET_MODEL_PRICE = input('SetModelPriceInput', 'The price of a model.', {
  model: required(
    text({ says: 'The model: demo, or provider:name. {bounds}', least: 1, most: LIMITS.priceModelLength }),
  ),
  inputPerMillion: required(price('input tokens')),
  cachedInputPerMillion: cachePrice('input tokens that the provider reads from its cache'),
  cacheWritePerMillion: cachePrice('input tokens that the provider writes to its cache'),
  outputPerMillion: required(price('output tokens')),
});
