import { expect, it } from 'vitest';
import { textsOf } from '../../src/web/dashboard/conversations/trace/compare/turn-text.ts';
import { pauseName } from '../../src/web/dashboard/conversations/trace/pause-name.ts';
import { promptMessage } from '../../src/web/dashboard/conversations/trace/prompt-messages.ts';

const CALL = { type: 'tool-call', toolCallId: 'call_1', toolName: 'look_up', input: { id: 1 } };
const RESULT = {
  ...{ type: 'tool-result', toolCallId: 'call_1', toolName: 'look_up' },
  output: { type: 'error-json', value: { error: 'Not found' } },
  files: [{ type: 'file', mediaType: 'image/png', bytes: 2_048 }],
};

it.each([
  ['a text', { role: 'user', content: 'Hi' }, [{ kind: 'text', text: 'Hi' }]],
  [
    'a call',
    { role: 'assistant', content: [{ type: 'text', text: 'One moment' }, CALL] },
    [
      { kind: 'text', text: 'One moment' },
      { kind: 'call', name: 'look_up', value: { id: 1 } },
    ],
  ],
  [
    'a failed result with a file',
    { role: 'tool', content: [RESULT] },
    [
      { kind: 'result', name: 'look_up', value: { error: 'Not found' }, isFailed: true },
      { kind: 'file', text: 'image/png, 2,048 bytes' },
    ],
  ],
  ['content that is cut off', { role: 'user', content: { truncated: '[{"ty' } }, [{ kind: 'cut', text: '[{"ty' }]],
  ['an unknown part', { role: 'user', content: [{ type: 'sound' }] }, [{ kind: 'other', value: { type: 'sound' } }]],
  ['unknown content', { role: 'user', content: 5 }, [{ kind: 'other', value: 5 }]],
])('a message with %s has its parts', (_name, message, parts) => {
  expect(promptMessage(message)).toEqual({ role: message.role, parts });
});

it('a step is compared as text, with its calls and results', () => {
  const prompt = {
    instructions: 'Be brief.',
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'tool', content: [RESULT] },
    ],
    messagesLeftOut: 2,
    tools: ['look_up', 'ask_user'],
  };
  expect(textsOf({ prompt, answer: { text: 'Done.', calls: [{ name: 'look_up', arguments: {} }] } })).toEqual({
    instructions: 'Be brief.',
    messages:
      '[2 earlier messages are not in the trace]\n\n[user]\nHi\n\n[tool]\nResult look_up (failed): {\n  "error": "Not found"\n}\nFile: image/png, 2,048 bytes',
    tools: 'look_up\nask_user',
    answer: 'Done.\nCall look_up: {}',
  });
  expect(textsOf({ prompt: null, answer: null })).toEqual({ instructions: '', messages: '', tools: '', answer: '' });
});

const call = (name: string, answeredBy: string | null = null) => ({ name, createdAt: '', answeredBy });

it.each([
  [1, [call('ask_user')], 'Waited for an answer: <ask_user>'],
  [1, [call('approve_action', 'Ada')], 'Waited for an approval, answered by Ada'],
  [1, [call('raise_budget')], 'Waited for a higher budget'],
  [
    1,
    [call('ask_user'), call('approve_action', 'Ada')],
    'Waited for an answer and an approval: <ask_user>, answered by Ada',
  ],
  [null, [call('read_sensor')], 'Waits for an answer: <read_sensor>'],
  [1, [], 'Waited for the client or a member'],
])('a pause until %s with %j is named', (to, calls, name) => {
  expect(pauseName({ from: 0, to, calls }, (tool) => `<${tool}>`)).toBe(name);
});
