import { CLIENT_TOOLS, isClientToolName, QUESTION_TYPES, type QuestionType } from '../../../contract/client-tools.ts';
import type { Approver } from '../../../contract/statuses.ts';
import type { RaiseRequest } from '../../../domain/agent/tools/raise-budget.ts';
import { budgetSum } from '../../../domain/budgets/spent.ts';
import { visibleArguments } from '../../../domain/conversations/visible-calls.ts';
import type { OperationContext } from '../../../operation/context.ts';
import { BudgetPeriodEnum, BudgetPlaceEnum } from '../budget-enums.ts';
import { BudgetSumObject } from '../budgets/budgets.ts';
import { builder, type JsonObject } from '../builder.ts';
import { PendingAction, type PendingCall } from '../conversations/calls.ts';
import { ClientToolCall } from '../conversations/timeline.ts';
import { enumType } from '../enum-type.ts';
import { ApproverEnum } from '../workflows/workflow-approvals.ts';

const QuestionTypeEnum = enumType('QuestionType', QUESTION_TYPES, {
  description: 'How the answer to a question is entered.',
  values: {
    text: 'As text.',
    single_select: 'One of the options.',
    multi_select: 'Any number of the options.',
  },
});

interface Question {
  readonly id: string;
  readonly question: string;
  readonly input_type: QuestionType;
  readonly options?: readonly string[];
}

const QuestionObject = builder.objectRef<Question>('Question').implement({
  description: 'A question to the user.',
  fields: (t) => ({
    questionId: t.exposeString('id', { description: 'Names the answer. It is unique in the call.' }),
    text: t.exposeString('question', { description: 'What the user is asked.' }),
    inputType: t.expose('input_type', { type: QuestionTypeEnum, description: 'How the answer is entered.' }),
    options: t.stringList({
      description: 'The options of a select type. Empty for a text.',
      resolve: ({ options }) => [...(options ?? [])],
    }),
  }),
});

interface AskUser {
  readonly questions: readonly Question[];
}

const AskUserArguments = builder.objectRef<AskUser>('AskUserArguments').implement({
  description: 'The arguments of `ask_user`.',
  fields: (t) => ({
    questions: t.field({
      type: [QuestionObject],
      description: 'The questions, in order.',
      resolve: ({ questions }) => questions,
    }),
  }),
});

interface UploadDocument {
  readonly prompt: string;
  readonly accept?: readonly string[];
  readonly multiple?: boolean;
}

const UploadDocumentArguments = builder.objectRef<UploadDocument>('UploadDocumentArguments').implement({
  description: 'The arguments of `upload_document`.',
  fields: (t) => ({
    prompt: t.exposeString('prompt', { description: 'What to ask the user for.' }),
    accept: t.stringList({
      description: 'Accepted MIME types. Empty: every type.',
      resolve: ({ accept }) => [...(accept ?? [])],
    }),
    multiple: t.boolean({
      description: 'Whether the user can upload several files.',
      resolve: ({ multiple }) => multiple === true,
    }),
  }),
});

interface ApproveAction {
  readonly call_id: string;
  readonly tool: string;
  readonly description?: string;
  readonly arguments: JsonObject;
  readonly input_schema: JsonObject;
  readonly approver: Approver;
}

const ApproveActionArguments = builder.objectRef<ApproveAction>('ApproveActionArguments').implement({
  description: 'The arguments of `approve_action`: a call of a server tool that waits for an approval.',
  fields: (t) => ({
    callId: t.exposeString('call_id', { description: 'The ID of the call of the server tool.' }),
    tool: t.exposeString('tool', { description: 'The name of the server tool.' }),
    description: t.string({
      description: 'What the tool does. It can be empty.',
      resolve: ({ description }) => description ?? '',
    }),
    arguments: t.expose('arguments', { type: 'JSONObject', description: 'The arguments of that call.' }),
    inputSchema: t.expose('input_schema', {
      type: 'JSONObject',
      description: 'The JSON Schema of these arguments, for changes.',
    }),
    approver: t.expose('approver', { type: ApproverEnum, description: 'Who can give the approval.' }),
  }),
});

const RaiseBudgetArguments = builder.objectRef<RaiseRequest>('RaiseBudgetArguments').implement({
  description: 'The arguments of `raise_budget`: a turn waits, because its next model step does not fit into a budget.',
  fields: (t) => ({
    budgetId: t.exposeID('budget_id', { description: 'The ID of the budget.' }),
    place: t.expose('place', { type: BudgetPlaceEnum, description: 'What the budget applies to.' }),
    period: t.expose('period', { type: BudgetPeriodEnum, description: 'How often it begins again.' }),
    limit: t.field({
      type: BudgetSumObject,
      description: 'What it had in its period when the turn began to wait.',
      resolve: ({ unit, limit }) => budgetSum(unit, limit),
    }),
    spent: t.field({
      type: BudgetSumObject,
      description: 'What of it was spent then.',
      resolve: ({ unit, spent }) => budgetSum(unit, spent),
    }),
    needed: t.field({
      type: BudgetSumObject,
      description: 'What the next step can cost at most.',
      resolve: ({ unit, needed }) => budgetSum(unit, needed),
    }),
    periodEndsAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the period ends. Null: the period is TOTAL.',
      resolve: ({ period_ends_at }) => (period_ends_at === null ? null : new Date(period_ends_at)),
    }),
    approver: t.expose('approver', { type: ApproverEnum, description: 'Who can raise it.' }),
  }),
});

const TYPES = {
  ask_user: 'AskUserArguments',
  upload_document: 'UploadDocumentArguments',
  approve_action: 'ApproveActionArguments',
  raise_budget: 'RaiseBudgetArguments',
} as const;

/** The arguments, and the name of their tool. */
type Named = (AskUser | UploadDocument | ApproveAction | RaiseRequest) & { readonly toolName: keyof typeof TYPES };

const BuiltInArguments = builder.unionType('BuiltInArguments', {
  description: 'The arguments of a client tool that Parley defines.',
  types: [AskUserArguments, UploadDocumentArguments, ApproveActionArguments, RaiseBudgetArguments],
  resolveType: (value) => TYPES[(value as Named).toolName],
});

/** Null if the workflow or the client defines the tool, or the caller does not see the arguments. */
function builtInArguments(call: PendingCall, { domain }: OperationContext): Named | null {
  const { name } = call;
  if (name === null || !isClientToolName(name)) return null;
  const visible = visibleArguments(domain.caller, call);
  // The schema of the tool has accepted them before the call was stored. Hidden arguments are empty.
  const isComplete = CLIENT_TOOLS[name].inputSchema.required.every((argument) => argument in visible);
  return isComplete ? ({ ...visible, toolName: name } as unknown as Named) : null;
}

const FIELD = {
  type: BuiltInArguments,
  nullable: true,
  description:
    'The arguments of a tool that Parley defines. Null: the workflow or the client defines the tool, so only `arguments` has them, or the caller cannot make the decision.',
} as const;

builder.objectField(ClientToolCall, 'builtInArguments', (t) =>
  t.field({ ...FIELD, resolve: (call, _args, context) => builtInArguments(call, context) }),
);

builder.objectField(PendingAction, 'builtInArguments', (t) =>
  t.field({ ...FIELD, resolve: (call, _args, context) => builtInArguments(call, context) }),
);
