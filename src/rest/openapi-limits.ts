import { LIMITS, RESOURCE_TYPE_PATTERN } from '../contract/limits.ts';
import { END_USER_SCOPES } from '../contract/scopes.ts';
import type { JsonSchema } from './json-schema.ts';

const KEY: JsonSchema = { pattern: `^[A-Za-z0-9_.-]{1,${LIMITS.keyLength}}$` };

const META: JsonSchema = {
  maxProperties: LIMITS.metaKeys,
  // These are query parameters of the list that `meta` filters.
  propertyNames: { ...KEY, not: { enum: ['page', 'page_size'] } },
};
const META_VALUES: readonly JsonSchema[] = [
  { type: 'string', maxLength: LIMITS.metaLength },
  { type: 'number' },
  { type: 'boolean' },
];

/**
 * Characters that no name has: slashes, control and format characters. By code point, because many validators compile
 * patterns without Unicode classes. Those beyond the Basic Multilingual Plane cannot be stated this way.
 */
const NOT_IN_NAME =
  '/\\\\\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\ufff9-\\ufffb';

/** Not blank, no path, and no invisible characters. */
const FILE_NAME = `^[^${NOT_IN_NAME}]*[^\\s${NOT_IN_NAME}][^${NOT_IN_NAME}]*$`;

/** The form of the MIME type of one file: no `*`. */
const FILE_TYPE =
  '^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*( *; *[A-Za-z0-9!#$&^_.+-]+=([A-Za-z0-9!#$&^_.+-]+|"[ !#-)+-\\[\\]-~]*"))*$';

/** Not only white space. */
const END_USER: JsonSchema = { maxLength: LIMITS.endUserLength, pattern: '\\S' };

const PAGE_SIZE: JsonSchema = { minimum: 1, maximum: LIMITS.pageSize };

const DURATION: JsonSchema = { minimum: 0, maximum: LIMITS.filterNumber };
const COST: JsonSchema = { minimum: 0, maximum: LIMITS.filterCost };
const SEARCHED: JsonSchema = { minLength: 1, maxLength: LIMITS.searchLength };
const FILTER_VALUES: JsonSchema = { minItems: 1, maxItems: LIMITS.filterValues };

/**
 * Bounds that the domain enforces (WIRE 1), by the name of an argument or input field. Keys with a type or root field
 * take precedence. They only document the bounds: the domain checks them.
 */
const BY_NAME: Readonly<Record<string, JsonSchema>> = {
  first: PAGE_SIZE,
  last: PAGE_SIZE,
  page: { minimum: 1, maximum: LIMITS.page },
  pageSize: PAGE_SIZE,
  historyLimit: { minimum: 0, maximum: LIMITS.historyLimit },
  clientCapabilities: { maxItems: LIMITS.clientCapabilities, uniqueItems: true },
  'SendMessageInput.triggerId': { minLength: 1 },
  'RunAgentTurnInput.triggerId': { minLength: 1 },
  'RunOnceInput.triggerId': { minLength: 1 },
  // A header can have only these characters.
  prefer: { pattern: '^[\\x20-\\x7e]*$' },
  toolResults: { maxItems: LIMITS.toolResults },
  content: { maxItems: LIMITS.contentParts },
  'CreateTriggerInput.content': { type: 'array', minItems: 1, maxItems: LIMITS.contentParts },
  variablesByName: {
    maxProperties: LIMITS.variables,
    propertyNames: KEY,
    additionalProperties: { type: 'string', maxLength: LIMITS.variableLength },
  },
  // Numbers and booleans are inserted as text.
  'RunOnceInput.variablesByName': {
    maxProperties: LIMITS.variables,
    propertyNames: KEY,
    additionalProperties: {
      anyOf: [{ type: 'string', maxLength: LIMITS.variableLength }, { type: 'number' }, { type: 'boolean' }],
    },
  },
  // Any JSON, inserted as text.
  'CreateTriggerInput.variablesByName': {
    maxProperties: LIMITS.variables,
    propertyNames: KEY,
    additionalProperties: { maxLength: LIMITS.variableLength },
  },
  'CreateEndUserTokenInput.endUser': END_USER,
  'RevokeEndUserTokensInput.endUser': END_USER,
  'EraseEndUserInput.endUser': END_USER,
  'CreateEndUserTokenInput.scopes': {
    minItems: 1,
    maxItems: END_USER_SCOPES.length,
    uniqueItems: true,
    items: { enum: END_USER_SCOPES },
  },
  'CreateUploadInput.name': {
    maxLength: LIMITS.fileNameLength,
    pattern: FILE_NAME,
    not: { enum: ['.', '..'] },
  },
  'CreateUploadInput.mimeType': { maxLength: LIMITS.mimeTypeLength, pattern: FILE_TYPE },
  'CreateUploadInput.sizeBytes': { minimum: 1 },
  'CreateUploadInput.sha256': { minLength: 64, maxLength: 64, pattern: '^[0-9a-fA-F]*$' },
  'RequestPasswordResetInput.email': { maxLength: LIMITS.emailLength },
  'ResetPasswordInput.password': { minLength: LIMITS.minPasswordLength, maxLength: LIMITS.passwordLength },
  ttlSeconds: { minimum: 1, maximum: LIMITS.endUserTokenSeconds },
  ttlHours: { minimum: 1, maximum: LIMITS.ttlHours },
  // Not only white space.
  'UpdateConversationInput.name': { maxLength: LIMITS.conversationNameLength, pattern: '\\S' },
  uiSurface: { minLength: 1, maxLength: LIMITS.uiSurfaceLength },
  'UpdateConversationInput.meta': { ...META, additionalProperties: { anyOf: [...META_VALUES, { type: 'null' }] } },
  meta: { ...META, additionalProperties: { anyOf: META_VALUES } },
  'events.types': { minItems: 1 },
  'ConversationFilter.search': SEARCHED,
  'ConversationFilter.anyId': SEARCHED,
  // A word that is not excluded.
  'ConversationFilter.text': { maxLength: LIMITS.searchLength, pattern: '(^|\\s)([^\\s-]\\S*)?[\\p{L}\\p{N}]' },
  'ConversationFilter.workflowVersion': { minimum: 1, maximum: LIMITS.filterNumber },
  'ConversationFilter.runStatuses': FILTER_VALUES,
  'ConversationFilter.errorCodes': FILTER_VALUES,
  'IntRangeInput.min': DURATION,
  'IntRangeInput.max': DURATION,
  'AmountRangeInput.min': COST,
  'AmountRangeInput.max': COST,
  'RateMessageInput.comment': { maxLength: LIMITS.ratingCommentLength },
  'CreateResourceInput.type': { pattern: RESOURCE_TYPE_PATTERN.source },
  'ToolResultInput.output': { type: 'object', additionalProperties: true },
};

export function limitsOf(name: string, type?: string): JsonSchema {
  return BY_NAME[`${type}.${name}`] ?? BY_NAME[name] ?? {};
}
