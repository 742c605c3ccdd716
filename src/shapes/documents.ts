import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { DOCUMENT_KINDS } from '../contract/statuses.ts';
import { DOCUMENT_NAME_PATTERN, RESERVED_DOCUMENT_NAMES } from '../contract/tool-names.ts';
import { input, required } from './field.ts';
import { choice, flag, id, integer, text, textOf } from './kinds.ts';

const FORM = `lower-case words with underscores, like order_summary, at most ${LIMITS.documentNameLength} characters`;

const nameRule = z.string().check(
  z.maxLength(LIMITS.documentNameLength, `must be ${FORM}`),
  z.regex(DOCUMENT_NAME_PATTERN, `must be ${FORM}`),
  z.refine((name) => !RESERVED_DOCUMENT_NAMES.includes(name), 'is reserved. Choose another name'),
);

/** A document, to check or to publish. */
export const DOCUMENT = {
  name: required(
    textOf(nameRule, { says: `The name: ${FORM}`, note: 'It is part of the path, and the name of the tool.' }),
  ),
  text: required(
    text({
      says: 'One query or mutation with its fragments, {bounds}',
      note: 'It can have the directives @rest, @tool, @header, @spread and @optional.',
      most: LIMITS.documentLength,
      canBeBlank: true,
    }),
  ),
};

export const PUBLISH_DOCUMENT = input('PublishDocumentInput', 'The text to publish.', {
  ...DOCUMENT,
  acknowledgeBreaking: flag('Publishes the text even if it breaks callers of the current version', false),
  ifVersion: integer({
    says: 'Publishes only if this is the current version',
    note: '0: only if there is no document with this name.',
    least: 0,
  }),
});

export const DELETE_DOCUMENT = input('DeleteDocumentInput', 'The document to delete.', {
  id: required(id('Document', 'The ID: doc_ and 26 characters', 'ID')),
});

export const DOCUMENT_FILTER = input('DocumentFilter', 'Filters documents. All conditions must match.', {
  kind: choice('Only documents with this operation', DOCUMENT_KINDS),
  search: text({ says: 'Part of the name', least: 1, most: LIMITS.documentNameLength, canBeBlank: true }),
});
