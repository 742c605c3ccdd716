import { storableText, storableValue } from '../../../contract/storable-text.ts';
import { storableUsage } from '../../../contract/token-usage.ts';
import { valueSizeProblem } from '../../json-schema/value-size.ts';
import type { ModelCall, ModelStep } from '../model-port.ts';

/** Removes what PostgreSQL cannot store from a model step: NUL characters, lone surrogates, impossible counts. */
export function storable(step: ModelStep): ModelStep {
  return {
    ...step,
    ...storableUsage(step),
    text: storableText(step.text),
    calls: step.calls.map(storableCall),
  };
}

/** Drops arguments that are too deep or too large. Reading them would exhaust the stack. */
function storableCall(call: ModelCall): ModelCall {
  const problem = valueSizeProblem(call.arguments);
  const bounded = problem ? { name: call.name, arguments: {}, unreadable: problem } : call;
  return storableValue(bounded) as ModelCall;
}
