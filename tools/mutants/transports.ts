import type { Mutant } from './mutant.ts';

const UI = 'spec/ui-stream.test.ts';
const REQUESTS = 'spec/ui-stream-requests.test.ts';
const ROUTER = 'transports/ui/router.ts';
const CHUNKS = 'transports/ui/chunks.ts';
const MESSAGE = 'transports/ui/message.ts';
const REASONING = 'spec/reasoning.test.ts';
const MODEL_METRICS = 'telemetry/model-metrics.ts';

/** Guards of the UI message stream, of the reasoning in feeds, and of streams that follow an operation. */
export const TRANSPORTS: readonly Mutant[] = [
  {
    name: 'strangers take all streams of a process',
    file: 'operation/stream-caps.ts',
    find: 'if (!isFull) return;',
    replace: 'if (!isFull || ofStranger) return;',
    test: 'operation/stream-caps.test.ts',
  },
  {
    name: 'a repeated query with an error is executed twice',
    file: 'graphql/server/server.ts',
    find: 'if (outcome) output.outcome = outcome;',
    replace: '',
    test: 'graphql/repeated-queries.test.ts',
  },
  {
    name: 'an event is executed for each of its subscribers',
    file: 'operation/shared-executions.ts',
    find: 'results.set(event as object, result);',
    replace: '',
    test: 'operation/shared-executions.test.ts',
  },
  {
    name: 'a head is released before it is sent',
    file: 'http/open-stream.ts',
    find: 'if (!response.headersSent) return;',
    replace: '',
    test: 'http/open-stream.test.ts',
  },
  {
    name: 'a field reads a column that its row lacks',
    file: 'graphql/schema/plugins/columns-plugin.ts',
    find: '(isRead ? resolveRow : resolve)',
    replace: 'resolveRow',
    test: 'graphql/columns.test.ts',
  },
  {
    name: 'GET /graphql is handled before the explorer',
    file: 'graphql/server/posted-queries.ts',
    find: "method === 'POST' && ",
    replace: '',
    test: 'http/graphql-path.test.ts',
  },
  {
    name: 'a turn runs although its stream is over the cap',
    file: ROUTER,
    find: ', { streamPlace: ui.streamPlace }',
    replace: '',
    test: 'spec/transports.test.ts',
  },
  {
    name: 'a turn runs whose key may not read its stream',
    file: 'operation/stream-caps.ts',
    find: 'if (!isAdmitted) requireAccess(this.#access, context);',
    replace: '',
    test: REQUESTS,
  },
  {
    name: 'a regenerated message is sent as a new one',
    file: MESSAGE,
    find: "if (trigger === 'regenerate-message') {",
    replace: "if (trigger === 'regenerate-messages') {",
    test: REQUESTS,
  },
  {
    name: 'an edited message is sent as a new one',
    file: MESSAGE,
    find: 'if (messageId !== undefined && messageId !== null) {',
    replace: 'if (messageId === null) {',
    test: REQUESTS,
  },
  {
    name: 'results repeat the labels of the chat',
    file: MESSAGE,
    find: 'const { variables: _variables, meta: _meta, start_if_missing: _start, ...rest } = fields;',
    replace: 'const rest = fields;',
    test: REQUESTS,
  },
  {
    name: 'the result of a server tool is sent as that of a client',
    file: MESSAGE,
    find: "if (providerExecuted === true || typeof toolCallId !== 'string') return [];",
    replace: "if (typeof toolCallId !== 'string') return [];",
    test: UI,
  },
  {
    name: 'an answered tool runs again after a reload',
    file: CHUNKS,
    find: '    if (!isKnown) {\n      const inputTextDelta',
    replace:
      "    if (!isKnown) this.#emit({ type: 'tool-input-available', toolCallId, toolName, input });\n    if (!isKnown) {\n      const inputTextDelta",
    test: UI,
  },
  {
    name: 'a client is asked for an approval that only a member can give',
    file: CHUNKS,
    find: 'if (toolCallId === undefined || tool === undefined) {',
    replace: "if (toolCallId === '' || tool === '') {",
    test: UI,
  },
  {
    name: 'a call that was refused is shown as failed',
    file: CHUNKS,
    find: ' || this.#denied.has(toolCallId)) return;',
    replace: ') return;',
    test: UI,
  },
  {
    name: 'reasoning reaches clients although the workflow hides it',
    file: 'domain/agent/run/model-step.ts',
    find: "deployment.config.reasoning === 'shown' && { onReasoning }",
    replace: '{ onReasoning }',
    test: REASONING,
  },
  {
    name: 'the model does not get its reasoning back after calls',
    file: 'domain/agent/run/prompt.ts',
    find: '...(memory?.reasoning ?? []), ...textParts',
    replace: '...textParts',
    test: REASONING,
  },
  {
    name: 'the text after a restart can get the ID of an earlier event',
    file: 'domain/agent/live/turn-reader.ts',
    find: '{ ...NO_TEXT, fence: fence + 1 }',
    replace: 'NO_TEXT',
    test: 'spec/turn-feed.test.ts',
  },
  {
    name: 'the end of another text follows the beginning that a reader has',
    file: 'domain/agent/live/turn-reader.ts',
    find: 'crc32(text.slice(0, offset)) !== place.checksum',
    replace: 'text.length < offset',
    test: 'engine/turn-feed.process.test.ts',
  },
  {
    name: 'spans contain prompts and results without the setting',
    file: 'telemetry/tracing.ts',
    find: 'capturesContent ?',
    replace: 'true ?',
    test: 'ops/telemetry.test.ts',
  },
  {
    name: 'a step without reported tokens counts as zero tokens',
    file: MODEL_METRICS,
    find: 'inputTokens + outputTokens > 0',
    replace: 'true',
    test: 'ops/model-metrics.test.ts',
  },
  {
    name: 'metrics contain the message of an error',
    file: MODEL_METRICS,
    find: 'errorType(error)',
    replace: 'String(error)',
    test: 'ops/model-metrics.test.ts',
  },
  {
    name: 'a POST is handled as a read because of its override header',
    file: 'http/method-override.ts',
    find: "['PATCH', 'PUT', 'DELETE']",
    replace: "['PATCH', 'PUT', 'DELETE', 'GET']",
    test: 'spec/method-override.test.ts',
  },
  {
    name: 'a label with the name of a path parameter does not filter',
    file: 'rest/bind.ts',
    find: "place === 'query' && name === wanted",
    replace: "place !== 'body' && name === wanted",
    test: 'spec/label-filters.test.ts',
  },
  {
    name: 'a filter in brackets is ignored',
    file: 'rest/bind.ts',
    find: '  checkBrackets(route, labels, request);',
    replace: '  void checkBrackets;',
    test: 'spec/label-filters.test.ts',
  },
];
