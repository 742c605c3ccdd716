import { FILE_PART_TYPES } from '../contract/content.ts';
import { LIMITS } from '../contract/limits.ts';
import { formatBytes, formatCount } from '../contract/quantities.ts';
import type { JsonSchema } from './json-schema.ts';

const NULL: JsonSchema = { type: 'null' };
const NO: JsonSchema = { not: { const: true } };
const SOME_TEXT: JsonSchema = { type: 'string', minLength: 1 };
const SOME_CONTENT: JsonSchema = { type: 'array', items: {}, minItems: 1 };
const NO_CONTENT: JsonSchema = { type: ['array', 'null'], items: {}, maxItems: 0 };
const SOME_RESULTS: JsonSchema = { type: 'array', items: {}, minItems: 1 };
const UUID: JsonSchema = { type: 'string', format: 'uuid' };

/** The form of a MIME type, in upper or lower case. It can have parameters, and `*` as its second part. */
const MIME_TYPE_PATTERN =
  '^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/(\\*|[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*)( *; *[A-Za-z0-9!#$&^_.+-]+=([A-Za-z0-9!#$&^_.+-]+|"[ !#-\\[\\]-~]*"))*$';

const MIME_TYPE: JsonSchema = { type: 'string', maxLength: LIMITS.mimeTypeLength, pattern: MIME_TYPE_PATTERN };

const FILE_URI: JsonSchema = {
  type: 'string',
  format: 'uri',
  maxLength: LIMITS.fileUriLength,
  pattern:
    '^([Hh][Tt][Tt][Pp][Ss]?://[^\\s\\\\\\u0000-\\u001f\\u007f-\\u009f]+|parley:file_[0-7][0-9a-hjkmnp-tv-z]{25})$',
};

const BASE64: JsonSchema = {
  type: 'string',
  format: 'byte',
  contentEncoding: 'base64',
  pattern: '^[A-Za-z0-9+/]+={0,2}$',
  // Base64 needs four characters for three bytes.
  maxLength: Math.ceil(LIMITS.inlineBytes / 3) * 4,
};

/** A variant of an input object. */
function variant(title: string, properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]) {
  return { title, properties, required };
}

const TEXT_OR_NULL = ['string', 'null'];

const CONTENT_PART: JsonSchema = {
  description: 'One part of a message. Send only the fields of its type.',
  properties: {
    data: {
      type: TEXT_OR_NULL,
      description: `For data: base64 of at most ${formatBytes(LIMITS.inlineBytes)} of data.`,
    },
    file_uri: {
      type: TEXT_OR_NULL,
      description: 'For url, image, video and audio: an absolute http or https URL, or the URI of an uploaded file.',
    },
    mime_type: {
      type: TEXT_OR_NULL,
      description: 'For all other types: the MIME type, for example image/png.',
    },
    text: {
      type: TEXT_OR_NULL,
      description: `For text: 1 to ${formatCount(LIMITS.textLength)} characters, not blank.`,
    },
    type: {
      $ref: '#/components/schemas/ContentPartType',
      description: 'The type. It decides which other fields are required.',
    },
  },
  required: ['type'],
  oneOf: [
    variant(
      'Text',
      { type: { const: 'text' }, text: { type: 'string', pattern: '\\S', maxLength: LIMITS.textLength } },
      ['type', 'text'],
    ),
    variant('File', { type: { enum: FILE_PART_TYPES }, mime_type: MIME_TYPE, file_uri: FILE_URI }, [
      'type',
      'mime_type',
      'file_uri',
    ]),
    variant('Inline file', { type: { const: 'data' }, mime_type: MIME_TYPE, data: BASE64 }, [
      'type',
      'mime_type',
      'data',
    ]),
  ],
};

const START = variant('Start', { conversation_id: NULL, content: SOME_CONTENT }, ['content']);
const CONTINUE = variant('Continue', { conversation_id: UUID, content: SOME_CONTENT, variables: NULL, meta: NULL }, [
  'conversation_id',
  'content',
]);
const START_FROM_TRIGGER = variant(
  'Start from a trigger',
  { conversation_id: NULL, trigger_id: SOME_TEXT, content: NO_CONTENT },
  ['trigger_id'],
);
const RESUME = variant(
  'Resume',
  {
    conversation_id: UUID,
    tool_results: SOME_RESULTS,
    content: NO_CONTENT,
    variables: NULL,
    meta: NULL,
  },
  ['conversation_id', 'tool_results'],
);

function withoutResults({ title, properties, required }: ReturnType<typeof variant>): JsonSchema {
  return variant(title, { ...properties, tool_results: NULL }, required);
}

const BUDGET_UNITS = [
  { unit: 'money', properties: { amount: { type: 'string' }, tokens: NULL }, needed: 'amount' },
  { unit: 'tokens', properties: { amount: NULL, tokens: { type: 'integer' } }, needed: 'tokens' },
];

/** Each place leaves out the other ones. */
const BUDGET_PLACES = [
  variant('a deployment or the environment', { conversation_id: NULL, run_id: NULL, end_user: NULL, visitors: NO }, []),
  variant(
    'the visitors of a deployment',
    { deployment_id: UUID, conversation_id: NULL, run_id: NULL, end_user: NULL },
    ['deployment_id'],
  ),
  variant('a conversation', { deployment_id: NULL, run_id: NULL, end_user: NULL, visitors: NO }, []),
  variant(
    'a run',
    { deployment_id: NULL, conversation_id: NULL, end_user: NULL, visitors: NO, period: { const: 'total' } },
    [],
  ),
  variant('an end user', { conversation_id: NULL, run_id: NULL, visitors: NO }, []),
];

const BUDGETS = BUDGET_UNITS.flatMap(({ unit, properties, needed }) =>
  BUDGET_PLACES.map(({ title, properties: place, required }) =>
    variant(`In ${unit}, for ${title}`, { ...properties, ...place }, [needed, ...required]),
  ),
);

/**
 * Rules between the fields of an input type. They only document what the domain checks.
 * `test/conformance/request-rules.test.ts` compares them with the service.
 */
const RULES: Readonly<Record<string, JsonSchema>> = {
  ContentPartInput: CONTENT_PART,
  SendMessageInput: { anyOf: [START, CONTINUE, START_FROM_TRIGGER] },
  RunAgentTurnInput: { anyOf: [...[START, CONTINUE, START_FROM_TRIGGER].map(withoutResults), RESUME] },
  RunOnceInput: {
    anyOf: [
      variant('Message', { content: SOME_CONTENT }, ['content']),
      variant('From a trigger', { trigger_id: SOME_TEXT, content: NO_CONTENT }, ['trigger_id']),
    ],
  },
  RateMessageInput: {
    anyOf: [
      variant('Rate', { rating: { $ref: '#/components/schemas/RatingValue' } }, ['rating']),
      variant('Remove the rating', { rating: NULL, comment: { type: TEXT_OR_NULL, pattern: '^\\s*$' } }, ['rating']),
    ],
  },
  SetBudgetInput: {
    anyOf: BUDGETS,
    allOf: [
      {
        anyOf: [
          variant('Pauses', { on_reached: { const: 'pause' } }, ['on_reached']),
          variant('Does not pause', { expires_after_seconds: NULL, on_expiry: NULL }, []),
        ],
      },
    ],
  },
  ExpiryInput: {
    anyOf: [
      variant('With an output', { mode: { const: 'default' }, output: { type: 'object' } }, ['mode', 'output']),
      variant('Without an output', { mode: { enum: ['cancel', 'deny'] }, output: NULL }, ['mode']),
    ],
  },
  UpdateConversationInput: {
    anyOf: [
      variant('Rename', { name: { type: 'string' } }, ['name']),
      variant('Change labels', { meta: { type: 'object' } }, ['meta']),
    ],
  },
};

/** The rules of an input type, next to those of its fields. */
export function rulesOf(type: string): JsonSchema {
  return RULES[type] ?? {};
}
