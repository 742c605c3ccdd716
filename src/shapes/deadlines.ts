import { LIMITS } from '../contract/limits.ts';
import { formatBytes } from '../contract/quantities.ts';
import { EXPIRY_MODES } from '../contract/statuses.ts';
import { input, required } from './field.ts';
import { anyObject, choice, integer, map, object } from './kinds.ts';

export const EXPIRY = input('ExpiryInput', 'What happens to a pending call that nobody answers in time.', {
  mode: required(choice('What happens', EXPIRY_MODES)),
  output: map(anyObject, {
    says: 'With the mode DEFAULT: the output of the call',
    note: `At most ${formatBytes(LIMITS.toolOutputBytes)} as JSON. If it does not fit the call, the call is denied.`,
  }),
});

/** The deadline of a pending call. */
export const DEADLINE_FIELDS = {
  expiresAfterSeconds: integer({
    says: 'Seconds after which a pending call expires',
    most: LIMITS.expirySeconds,
    without: 'never',
  }),
  onExpiry: object(EXPIRY, {
    says: 'What happens then',
    note: 'Needs expiresAfterSeconds. Default: the run is cancelled.',
  }),
};
