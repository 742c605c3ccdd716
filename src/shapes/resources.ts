import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { formatBytes } from '../contract/quantities.ts';
import { input, required } from './field.ts';
import { anyObject, id, map, textOf } from './kinds.ts';

/** The form of a resource's type: a word that the client chooses. */
export const RESOURCE_TYPE_PATTERN = new RegExp(`^[a-z][a-z0-9_]{0,${LIMITS.resourceTypeLength - 1}}$`);

const TYPE = `1 to ${LIMITS.resourceTypeLength} characters of a-z, 0-9 and _, starting with a letter`;

const resourceId = required(id('Resource', 'The ID: res_ and 26 characters', 'ID'));

const ifMatch = textOf(z.string(), {
  says: 'Quoted entity tags, or *',
  note: 'Error precondition_failed if the current version is not among them.',
});

export const CREATE_RESOURCE = input('CreateResourceInput', 'A new resource.', {
  type: required(
    textOf(z.string().check(z.regex(RESOURCE_TYPE_PATTERN, `must be ${TYPE}`)), {
      says: TYPE,
      bounds: { pattern: RESOURCE_TYPE_PATTERN.source },
    }),
  ),
  fields: required(
    map(anyObject, {
      says: `The values by key: at most ${formatBytes(LIMITS.resourceBytes)} as JSON and ${LIMITS.resourceLevels} levels`,
    }),
  ),
});

export const UPDATE_RESOURCE = input('UpdateResourceInput', 'Changes to a resource.', {
  id: resourceId,
  ifMatch,
  fields: required(
    map(anyObject, {
      says: 'New values by key, including null',
      note: 'Other keys stay. The result must be within the limits of a new resource.',
    }),
  ),
});

export const DELETE_RESOURCE = input('DeleteResourceInput', 'The resource to delete.', { id: resourceId, ifMatch });
