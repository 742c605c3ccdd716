import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../../src/domain/agent/model-port.ts';
import { reducedHistory, strictMessages } from '../../src/model/strict-messages.ts';

const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });
const said = (text: string): ModelMessage => ({ role: 'assistant', content: [{ type: 'text', text }] });
const CALL = { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {} } as const;
const called = (
  ...content: Exclude<Extract<ModelMessage, { role: 'assistant' }>['content'], string>
): ModelMessage => ({
  role: 'assistant',
  content: [...content, CALL],
});
const RESULT: ModelMessage = {
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'json', value: 1 } }],
};

describe('messages for the strictest servers', () => {
  it('have one message of the user after turns that failed', () => {
    expect(strictMessages([user('One'), user('Two'), said('Yes'), { role: 'user', content: 'Three' }])).toEqual([
      user('One\n\nTwo'),
      said('Yes'),
      user('Three'),
    ]);
  });

  it('keep the files of merged messages', () => {
    const file = { type: 'file', mediaType: 'image/png', data: 'aGk=' } as const;
    const [message] = strictMessages([{ role: 'user', content: [file] }, user('What is it?')]);
    expect(message?.content).toEqual([file, { type: 'text', text: 'What is it?' }]);
  });

  it('have no text of white space, and no message without content', () => {
    const blank = { type: 'text', text: '\n\n' } as const;
    expect(strictMessages([user('One'), said(' \n'), user('Two'), called(blank), RESULT])).toEqual([
      user('One\n\nTwo'),
      called(),
      RESULT,
    ]);
    expect(strictMessages([user(' ')])).toEqual([user('(no text)')]);
  });

  it('begin with the user, and the assistant speaks after results', () => {
    expect(strictMessages([said('Hello'), user('Look'), called(), RESULT, user('And?')])).toEqual([
      user('(Earlier messages are left out.)'),
      said('Hello'),
      user('Look'),
      called(),
      RESULT,
      said('(The turn ended here.)'),
      user('And?'),
    ]);
  });

  it('keep the reasoning of a merged reply at its beginning', () => {
    const reasoning = { type: 'reasoning', text: 'Hm.' } as const;
    expect(strictMessages([user('Look'), said('Wait.'), called(reasoning)])[1]).toEqual(
      called(reasoning, { type: 'text', text: 'Wait.' }),
    );
  });
});

describe('a reduced history', () => {
  it('has the current round only', () => {
    expect(reducedHistory([user('One'), said('Yes'), user('Look'), called(), RESULT])).toEqual([
      user('Look'),
      called(),
      RESULT,
    ]);
  });

  it('does not begin with a message that the service wrote', () => {
    const files = user('Files of these results:');
    expect(reducedHistory([user('One'), user('Two'), called(), RESULT, files])?.[0]).toEqual(user('Two'));
    const repair = user('That answer cannot be used: it is not JSON.');
    expect(reducedHistory([user('One'), said('Yes'), repair])).toBeUndefined();
  });
});
