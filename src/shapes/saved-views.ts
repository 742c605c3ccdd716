import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { input, required } from './field.ts';
import { id, text, textOf, textRule } from './kinds.ts';

const nameRule = textRule({ most: LIMITS.viewNameLength }).check(z.trim());

const name = textOf(nameRule, {
  says: `The name: 1 to ${LIMITS.viewNameLength} characters, unique among the views of the member in the environment`,
  most: LIMITS.viewNameLength,
});

const parameters = text({
  says: 'The filters and the order as the query string of the list page, without "?"',
  most: LIMITS.viewParametersLength,
  pattern: [/^[\w.~%+=&*-]*$/, 'must be a query string with percent-encoded values, without "?"'],
});

export const CREATE_SAVED_VIEW = input('CreateSavedViewInput', 'The view to save.', {
  name: required(name),
  parameters: required(parameters),
});

const viewId = required(id('SavedView', 'The ID: view_ and 26 characters', 'ID'));

export const UPDATE_SAVED_VIEW = input(
  'UpdateSavedViewInput',
  'The fields to change. Fields that are null or missing stay as they are.',
  { id: viewId, name, parameters },
);

export const DELETE_SAVED_VIEW = input('DeleteSavedViewInput', 'The view to delete.', { id: viewId });
