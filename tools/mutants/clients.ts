import type { Mutant } from './mutant.ts';

const ANONYMOUS = 'domain/access/anonymous.ts';
const CHANGE = 'domain/conversations/change.ts';
const ERROR = 'sdk/error.ts';
const PUBLIC_TEST = 'spec/public-messages.test.ts';
const CALLS_TEST = 'sdk/agent-calls.test.ts';
const LABELS_TEST = 'spec/conversation-labels.test.ts';

/** Guards of the messages for developers of clients, of the SDK and of changed labels. */
export const CLIENTS: readonly Mutant[] = [
  {
    name: 'the message of a 401 shows whether a deployment exists',
    file: ANONYMOUS,
    find: 'if (!row || (row.auth_required && !visitor)) throw notPublic();',
    replace:
      "if (!row) throw new ServiceError('unauthorized', 'Unknown.');\n  if (row.auth_required && !visitor) throw notPublic();",
    test: PUBLIC_TEST,
  },
  {
    name: 'an error repeats an origin that is no host',
    file: ANONYMOUS,
    find: 'const host = siteOf(page);\n  const message',
    replace: 'const host = page;\n  const message',
    test: PUBLIC_TEST,
  },
  {
    name: 'a failing getToken looks like a lost connection',
    file: ERROR,
    find: 'throw new ParleyError({ code, message: `The option',
    replace: "throw new ParleyError({ code: 'connection_error', message: `The option",
    test: 'sdk/token.test.ts',
  },
  {
    name: 'an error of the SDK shows the password of a URL',
    file: ERROR,
    find: 'message: withoutSecrets(message)',
    replace: 'message: withoutSecrets(message) && message',
    test: 'sdk/requests.test.ts',
  },
  {
    name: 'an error of the SDK has no cause',
    file: ERROR,
    find: 'if (cause && causes)',
    replace: 'if (cause && !causes)',
    test: 'sdk/requests.test.ts',
  },
  {
    name: 'a handler that never runs is reported at each turn',
    file: 'sdk/tool-round.ts',
    find: ' || warned.has(name)',
    replace: '',
    test: CALLS_TEST,
  },
  {
    name: 'a client tool with a schema counts as offered if the deployment accepts no such tools',
    file: 'domain/agent/accept/ignored-tools.ts',
    find: '!(inputSchema && dynamicClientTools)',
    replace: '!inputSchema',
    test: CALLS_TEST,
  },
  {
    name: 'labels that two clients change at the same time get lost',
    file: CHANGE,
    find: 'FOR NO KEY UPDATE',
    replace: '',
    test: LABELS_TEST,
  },
  {
    name: 'changes give a conversation more labels than the limit',
    file: CHANGE,
    find: 'if (merged.length <= LIMITS.metaKeys)',
    replace: 'if (merged.length >= 0)',
    test: LABELS_TEST,
  },
  {
    name: 'a list finds a conversation by a label that it no longer has',
    file: CHANGE,
    find: ', meta_labels = ${entries}::text[]',
    replace: ', meta_labels = meta_labels || ${entries}::text[]',
    test: LABELS_TEST,
  },
  {
    name: 'the list of the built-in MCP tools has the rules of REST',
    file: 'transports/mcp/tool.ts',
    find: 'route.published ? input : compactInput(input)',
    replace: 'compactInput.length ? input : input',
    test: 'spec/mcp.test.ts',
  },
];
