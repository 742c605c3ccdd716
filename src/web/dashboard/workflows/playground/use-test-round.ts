import { useState } from 'react';
import type { JsonObject, PendingToolCall } from '../../../../sdk/index.ts';
import type { Rejection, Round } from '../../../calls/use-round.ts';
import type { Test } from './use-test.ts';

type Outputs = ReadonlyMap<string, JsonObject>;

const NO_OUTPUTS: Outputs = new Map();
const NO_REJECTIONS: ReadonlyMap<string, Rejection> = new Map();

/** The waiting calls of a test for the forms of the agent page. The last answer continues the turn. */
export function useTestRound(test: Test): Round {
  const [outputs, setOutputs] = useState(NO_OUTPUTS);
  const calls = test.waiting.map(
    ({ callId, name, arguments: args }): PendingToolCall => ({ callId, name, arguments: args }),
  );
  const without = (callId: string) => new Map([...outputs].filter(([id]) => id !== callId));
  return {
    calls,
    outputs,
    rejections: NO_REJECTIONS,
    canChange: true,
    note: null,
    isAnswered: false,
    setOutput(callId, output) {
      const next = new Map(outputs).set(callId, output);
      const isComplete = calls.every((call) => next.has(call.callId));
      setOutputs(isComplete ? NO_OUTPUTS : next);
      if (isComplete) test.answer(next);
    },
    clearOutput: (callId) => setOutputs(without(callId)),
    retry: test.retry,
    clearNote: () => {},
  };
}
