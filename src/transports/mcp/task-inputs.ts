import { type InputRequest, type InputResponseView, inputRequired } from '@modelcontextprotocol/server';
import { APPROVAL_TOOL, type QuestionType, RAISE_BUDGET_TOOL, UPLOAD_TOOL } from '../../contract/client-tools.ts';
import { approvalForm, approvalOutput, questionAbout } from './approvals.ts';
import type { WaitingCall } from './task-document.ts';

interface Question {
  readonly id: string;
  readonly question: string;
  readonly input_type: QuestionType;
  readonly options?: readonly string[];
}

type Content = Readonly<Record<string, unknown>>;

/** How the person at a client answers a call that waits. */
interface Form {
  /** Undefined: no form can ask it. */
  ask(call: WaitingCall): InputRequest | undefined;
  accepted(call: WaitingCall, content: Content): object;
  declined(call: WaitingCall): object;
}

/** A caller who cannot answer an approval does not see its arguments. */
const approval: Form = {
  ask: (call) => (call.arguments.tool === undefined ? undefined : approvalForm(call)),
  accepted: (_call, content) =>
    approvalOutput({ kind: 'elicit', action: 'accept', content } as InputResponseView) ?? {},
  declined: () => ({ approved: false }),
};

const DECLINED = 'The person declined to answer.';

const questions: Form = {
  ask: (call) =>
    inputRequired.elicit({
      message: 'The agent has questions.',
      requestedSchema: {
        type: 'object',
        properties: Object.fromEntries(questionsOf(call).map((question) => [question.id, fieldOf(question)])),
        required: questionsOf(call).map(({ id }) => id),
      },
    }),
  accepted: (call, content) => ({
    answers: questionsOf(call).flatMap(({ id }) => (Object.hasOwn(content, id) ? [{ id, value: content[id] }] : [])),
  }),
  declined: (call) => ({
    answers: questionsOf(call).map(({ id, input_type: type }) => ({
      id,
      value: type === 'multi_select' ? [] : DECLINED,
    })),
  }),
};

// The arguments of stored calls have passed the check against the tool's schema.
const questionsOf = (call: WaitingCall) => call.arguments.questions as readonly Question[];

function fieldOf({ question: title, input_type: type, options = [] }: Question) {
  const choices = [...new Set(options)];
  if (type === 'multi_select')
    return { type: 'array' as const, title, items: { type: 'string' as const, enum: choices } };
  return type === 'text'
    ? { type: 'string' as const, title, minLength: 1 }
    : { type: 'string' as const, title, enum: choices };
}

/** The tools of workflows and clients. Their results can have any form, and forms have only fields with simple values. */
const otherTool: Form = {
  ask({ name, arguments: args }) {
    const message = questionAbout(name, args);
    if (message === undefined) return undefined;
    const properties = { result: { type: 'string' as const, title: `Result of ${name}` } };
    return inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required: ['result'] } });
  },
  accepted: (_call, { result }) => ({ result }),
  declined: () => ({ declined: true }),
};

/** A form has no files, and only members raise budgets. */
const noForm: Form = { ...otherTool, ask: () => undefined };

const FORMS: ReadonlyMap<string, Form> = new Map([
  [APPROVAL_TOOL, approval],
  ['ask_user', questions],
  [UPLOAD_TOOL, noForm],
  [RAISE_BUDGET_TOOL, noForm],
]);

const formOf = ({ name }: WaitingCall): Form => FORMS.get(name) ?? otherTool;

/** The forms for the calls that wait. Undefined if one of them has no form, because all calls are answered together. */
export function inputRequestsFor(pending: readonly WaitingCall[]): Readonly<Record<string, InputRequest>> | undefined {
  const requests: Record<string, InputRequest> = {};
  for (const call of pending) {
    const request = formOf(call).ask(call);
    if (request === undefined) return undefined;
    requests[call.call_id] = request;
  }
  return requests;
}

/** The result of a call. Undefined: the person has closed the form, which decides nothing. */
export function outputOf(call: WaitingCall, response: InputResponseView): object | undefined {
  if (response.kind !== 'elicit') return undefined;
  const form = formOf(call);
  if (response.action === 'decline') return form.declined(call);
  return response.action === 'accept' ? form.accepted(call, response.content ?? {}) : undefined;
}
