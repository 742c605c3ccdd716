const CONVERSATION = '7d0e6f3c-51c4-4b8a-9f0b-2f6f0a8a1c55';
const AGENT_CONVERSATION = '9b2f4c1e-0d3a-4f57-8c61-4a7e2d9f3b10';

const content = [{ type: 'text', text: 'Hello' }];
const withPart = (part: object) => ({ content: [part] });
const mime_type = 'image/png';
const file_uri = 'https://example.com/a.png';

const PARTS = [
  { type: 'text', text: ' ' },
  { type: 'text', text: 'Hello', mime_type: 5 },
  { type: 'text', text: 'Hello', data: '' },
  { type: 'text' },
  { type: 'file', mime_type, file_uri },
  { type: 'image', mime_type },
  { type: 'image', mime_type, file_uri },
  { type: 'url', mime_type: 'png', file_uri },
  { type: 'url', mime_type: 'Audio/WebM; codecs="opus"', file_uri },
  { type: 'url', mime_type: 'image/*', file_uri: 'HTTPS://example.com' },
  { type: 'url', mime_type, file_uri: 'ftp://example.com/a.png' },
  { type: 'url', mime_type, file_uri: 'https://[' },
  { type: 'data', mime_type, data: '' },
  { type: 'data', mime_type, data: 'aGk' },
  { type: 'data', mime_type, data: 'aGk=' },
  { type: 'data', mime_type, data: 'a=b=' },
].map(withPart);

const MESSAGES = [
  ...PARTS,
  {},
  { content: [] },
  { content: null },
  { content: Array.from({ length: 65 }, () => content[0]) },
  { trigger_id: 'q3XbT0aZ' },
  { trigger_id: 'q3XbT0aZ', content: [] },
  { trigger_id: '' },
  { content, variables: { 'a b': '' } },
  { content, variables: { a: null } },
];

const turns = (conversation_id: string) => [
  ...MESSAGES,
  { conversation_id, trigger_id: 'q3XbT0aZ' },
  { conversation_id, content, variables: {} },
  { conversation_id, content, meta: {} },
  { conversation_id, content, variables: null, meta: null },
  { conversation_id: conversation_id.toUpperCase(), content },
  { content, meta: { page: 1 } },
  { content, meta: { page_size: 'a' } },
  { content, meta: { pages: 'a' } },
  { content, history_limit: 101 },
  { content, history_limit: 1.5 },
];

const result = { call_id: 'call_1', output: {} };

const AGENT_TURNS = [
  ...turns(AGENT_CONVERSATION),
  { tool_results: [result] },
  ...[
    { tool_results: [] },
    { tool_results: [result] },
    { tool_results: [result], content: [] },
    { tool_results: [result], content },
    { tool_results: [result], variables: {} },
    { tool_results: [result], meta: {} },
    { tool_results: [{ call_id: 'call_1' }] },
    { tool_results: [{ call_id: 'call_1', output: [] }] },
    { tool_results: Array.from({ length: 65 }, (_, index) => ({ ...result, call_id: String(index) })) },
  ].map((body) => ({ conversation_id: AGENT_CONVERSATION, ...body })),
  ...[
    ['complete_conversation'],
    ['1 unknown'],
    [''],
    ['a', 'a'],
    [{ name: '1 unknown', input_schema: {} }],
    [{ name: '1 unknown', input_schema: null }],
    [{ name: 'own', input_schema: { type: 'string' } }],
    [{ name: 'own', input_schema: {} }],
    [{ input_schema: {} }],
  ].map((client_capabilities) => ({ content, client_capabilities })),
];

/** Bodies at the border of a rule, by the name of their schema in the OpenAPI document. */
export const REQUEST_CASES: Readonly<Record<string, readonly object[]>> = {
  SendMessageInput: turns(CONVERSATION),
  RunAgentTurnInput: AGENT_TURNS,
  RateMessageInput: [
    {},
    { comment: 'Clear.' },
    { rating: 'UP' },
    { rating: 'sideways' },
    { rating: 'down', comment: null },
    { rating: 'up', comment: 'x'.repeat(2_000) },
    { rating: 'up', comment: 'x'.repeat(2_001) },
    { rating: null, comment: 'Clear.' },
    { rating: null, comment: ' \n' },
    { rating: null, comment: null },
  ],
  RunOnceInput: [...MESSAGES, { content, variables: { a: 1, b: true } }, { content, variables: { a: [] } }],
  CreateTriggerInput: [
    ...PARTS,
    {},
    { content: [] },
    { content: null },
    { content, ttl_hours: 0 },
    { content, ttl_hours: null },
    { content, ttl_hours: 8_761 },
    { content, variables: { a: [1], b: null } },
    { content, variables: { 'a b': 1 } },
    { content, variables: { a: 'x'.repeat(10_001) } },
    { content, ui_surface: '' },
  ],
};
