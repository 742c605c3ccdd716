import type { Step } from './load.ts';
import { AGENT, KEY } from './processes.ts';

// Turns of the demo agent over REST.

export const PATH = `/v2/runner/${AGENT}/conversation`;

/** The headers of a turn. */
export const JSON_BY_KEY = { 'x-api-key': KEY, 'content-type': 'application/json' } as const;

function turn(fields: object): Step {
  return { method: 'POST', path: PATH, body: JSON.stringify(fields), status: 200 };
}

const text = (message: string) => [{ type: 'text', text: message }];

export const START: Step = { ...turn({ content: text('Hello') }), capture: { conversation_id: 'conversation_id' } };

export const CONTINUE: Step = turn({ content: text('Hello'), conversation_id: '$conversation_id' });

/** A turn that pauses for the user. */
export const PAUSE: Step = {
  ...turn({ content: text('/ask\n/say ok'), client_capabilities: ['ask_user'] }),
  capture: { conversation_id: 'conversation_id', call_id: 'client_tool_calls.0.call_id' },
};

const ANSWERS = [
  { id: 'name', value: 'Ann' },
  { id: 'contact', value: 'email' },
  { id: 'topics', value: ['billing'] },
];

/** The request that resumes the paused turn. */
export const RESUME: Step = turn({
  conversation_id: '$conversation_id',
  tool_results: [{ call_id: '$call_id', output: { answers: ANSWERS } }],
});
