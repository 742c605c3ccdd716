import { EVENT_TYPES } from '../contract/events.ts';
import { LIMITS, RESOURCE_TYPE_PATTERN } from '../contract/limits.ts';
import type { JsonSchema } from './openapi-types.ts';

const KEY: JsonSchema = { pattern: `^[A-Za-z0-9_.-]{1,${LIMITS.keyLength}}$` };

const PAGE_SIZE: JsonSchema = { minimum: 1, maximum: LIMITS.pageSize };

/**
 * What the domain refuses beyond a type (WIRE 1), by the name of an argument or input field, or by type and field,
 * or root field and argument, where the name alone would say too little. For the document only: the domain is what checks.
 */
const BY_NAME: Readonly<Record<string, JsonSchema>> = {
  first: PAGE_SIZE,
  last: PAGE_SIZE,
  page: { minimum: 1, maximum: LIMITS.page },
  pageSize: PAGE_SIZE,
  historyLimit: { minimum: 0, maximum: LIMITS.historyLimit },
  // A resume goes on with the run's own.
  'ResumeInput.historyLimit': { minimum: 0, maximum: LIMITS.historyLimit },
  clientCapabilities: { maxItems: LIMITS.clientCapabilities },
  toolResults: { maxItems: LIMITS.toolResults },
  content: { maxItems: LIMITS.contentParts },
  variables: {
    maxProperties: LIMITS.variables,
    propertyNames: KEY,
    additionalProperties: { type: 'string', maxLength: LIMITS.variableLength },
  },
  // Any JSON, filled in as text.
  'TriggerInput.variables': { maxProperties: LIMITS.variables, propertyNames: KEY },
  ttlHours: { minimum: 1, maximum: LIMITS.ttlHours },
  uiSurface: { minLength: 1, maxLength: LIMITS.uiSurfaceLength },
  meta: {
    maxProperties: LIMITS.metaKeys,
    propertyNames: KEY,
    additionalProperties: {
      anyOf: [{ type: 'string', maxLength: LIMITS.metaLength }, { type: 'number' }, { type: 'boolean' }],
    },
  },
  'events.types': { minItems: 1, items: { type: 'string', enum: EVENT_TYPES } },
  'CreateResourceInput.type': { pattern: RESOURCE_TYPE_PATTERN.source },
  'ToolResultInput.output': { type: 'object', additionalProperties: true },
  'ContentPartInput.text': { minLength: 1, maxLength: LIMITS.textLength },
  'ContentPartInput.mimeType': { maxLength: LIMITS.mimeTypeLength },
  'ContentPartInput.fileUri': { maxLength: LIMITS.fileUriLength },
  // Four characters for every three bytes.
  'ContentPartInput.data': {
    minLength: 1,
    maxLength: Math.ceil(LIMITS.inlineBytes / 3) * 4,
    contentEncoding: 'base64',
  },
};

export function limitsOf(name: string, type?: string): JsonSchema {
  return BY_NAME[`${type}.${name}`] ?? BY_NAME[name] ?? {};
}
