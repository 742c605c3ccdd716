import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { BOUND_SCOPES, SCOPES } from '../contract/scopes.ts';
import { input, required } from './field.ts';
import { choices, id, ids, integer, texts, time } from './kinds.ts';
import { displayName } from './names.ts';

/** An empty list would look like no restriction, so it is rejected. */
const restriction = { least: 1, noun: 'items', ifEmpty: 'must not be empty. Null removes the restriction' };

/** Null removes a limit or restriction. */
export const API_KEY_SETTINGS = {
  requestsPerMinute: integer({
    says: 'Requests per minute, {bounds}',
    most: LIMITS.ratePerMinute,
    without: 'no limit',
  }),
  expiresAt: time({ says: 'When the key expires: a time in the future', without: 'never' }),
  /** The domain checks and normalizes each range. */
  allowedIpRanges: texts(z.string(), {
    says: 'The IP ranges that requests with the key must come from: {bounds} addresses or ranges in CIDR notation, IPv4 or IPv6',
    form: 'Null, the default: every address.',
    most: LIMITS.keyIpRanges,
    ...restriction,
  }),
  deploymentIds: ids('Deployment', {
    says: 'The deployments that the key is bound to',
    note: `Only for keys with no other scopes than ${BOUND_SCOPES.join(', ')}.`,
    form: 'Null, the default: the key is not bound.',
    most: LIMITS.keyDeployments,
    ...restriction,
  }),
};

export const CREATE_API_KEY = input('CreateApiKeyInput', 'The settings of a new key.', {
  name: required(displayName),
  scopes: required(
    choices({ says: 'The permissions of the key', note: 'The caller must have each of them.' }, SCOPES, {
      eachOnce: true,
    }),
  ),
  ...API_KEY_SETTINGS,
});

const keyId = required(id('ApiKey', 'The ID of a key: key_ and 26 characters', 'ID'));

export const UPDATE_API_KEY = input('UpdateApiKeyInput', 'Changes to a key. Omitted fields keep their value.', {
  id: keyId,
  name: displayName,
  ...API_KEY_SETTINGS,
});

export const ROTATE_API_KEY = input('RotateApiKeyInput', 'The key whose secret is replaced.', {
  id: keyId,
  overlapHours: integer({
    says: 'How long the current secret still works: {bounds} hours',
    least: 0,
    most: LIMITS.rotationOverlapHours,
    form: 'Default: 0, it stops working immediately.',
  }),
});

export const REVOKE_API_KEY = input('RevokeApiKeyInput', 'The key to revoke.', { id: keyId });
