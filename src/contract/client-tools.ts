// The client tools that Parley defines. Each is declared here once: the schema for the model, and how pages show it.
// A tool also needs a check of its output (domain), a form and a view (web), a template (dashboard) and a line in the
// README. The types require the first four, and a test requires the last.

import { APPROVERS, BUDGET_PERIODS, BUDGET_PLACES, BUDGET_UNITS } from './statuses.ts';

/** Asks for the approval of a call of a server tool. */
export const APPROVAL_TOOL = 'approve_action';

/** Asks to raise a budget that is used up. */
export const RAISE_BUDGET_TOOL = 'raise_budget';

/** The client tools that only the service calls. Each asks for a decision, and its arguments say who can give it. */
export const DECISION_TOOLS: readonly string[] = [APPROVAL_TOOL, RAISE_BUDGET_TOOL];

/** What a waiting call asks for: an answer for the model, an approval, or more of a budget. */
export const PENDING_ACTION_KINDS = ['answer', 'approval', 'budget'] as const;

export type PendingActionKind = (typeof PENDING_ACTION_KINDS)[number];

/** The tool of each kind. Calls of all others ask for an answer. */
export const TOOL_OF_KIND = {
  approval: APPROVAL_TOOL,
  budget: RAISE_BUDGET_TOOL,
} as const satisfies Partial<Record<PendingActionKind, string>>;

/** What a call of this tool asks for. */
export function pendingActionKind(tool: string): PendingActionKind {
  if (tool === TOOL_OF_KIND.approval) return 'approval';
  return tool === TOOL_OF_KIND.budget ? 'budget' : 'answer';
}

/** The client tool whose results are files. */
export const UPLOAD_TOOL = 'upload_document';

/** How the answer to a question of ask_user is entered. */
export const QUESTION_TYPES = ['text', 'single_select', 'multi_select'] as const;

export type QuestionType = (typeof QUESTION_TYPES)[number];

interface ClientToolDeclaration {
  /** How pages call it. */
  readonly title: string;
  readonly icon: 'tool' | 'file';
  /** For the model, unless the workflow has a description of its own. */
  readonly description: string;
  /** The JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export const CLIENT_TOOLS = {
  /** Asks the user questions. */
  ask_user: {
    title: 'Questions',
    icon: 'tool',
    description: 'Asks the user one or more questions and waits for the answers.',
    inputSchema: {
      type: 'object',
      properties: {
        questions: {
          type: 'array',
          minItems: 1,
          maxItems: 64,
          items: {
            type: 'object',
            properties: {
              id: { type: 'string', minLength: 1, description: 'Names the answer; unique in this call.' },
              question: { type: 'string', minLength: 1 },
              input_type: { type: 'string', enum: [...QUESTION_TYPES] },
              options: { type: 'array', items: { type: 'string' }, description: 'For the select types.' },
            },
            required: ['id', 'question', 'input_type'],
          },
        },
      },
      required: ['questions'],
    },
  },
  /** Asks the user for a file. */
  upload_document: {
    title: 'Document',
    icon: 'file',
    description: 'Asks the user for a document and waits for it.',
    inputSchema: {
      type: 'object',
      properties: {
        prompt: { type: 'string', description: 'What to ask the user for.' },
        accept: { type: 'array', items: { type: 'string' }, description: 'Accepted MIME types.' },
        multiple: { type: 'boolean', description: 'Whether the user can upload several files.' },
      },
      required: ['prompt'],
    },
  },
  /** Asks for the approval of a call of a server tool. The service adds it: the model cannot call it. */
  approve_action: {
    title: 'Approval',
    icon: 'tool',
    description: 'Asks whether a tool of the server may run.',
    inputSchema: {
      type: 'object',
      properties: {
        call_id: { type: 'string', description: 'The call that waits.' },
        tool: { type: 'string', description: 'The name of the tool.' },
        description: { type: 'string', description: 'What the tool does.' },
        arguments: { type: 'object', description: 'The arguments of the call.' },
        input_schema: { type: 'object', description: 'The JSON Schema of the arguments.' },
        approver: { type: 'string', enum: [...APPROVERS], description: 'Who can answer.' },
      },
      required: ['call_id', 'tool', 'arguments', 'input_schema', 'approver'],
    },
  },
  /** Asks to raise a budget. The service adds it: the model cannot call it. */
  raise_budget: {
    title: 'Budget',
    icon: 'tool',
    description: 'Asks whether a budget that is used up is raised for its current period.',
    inputSchema: {
      type: 'object',
      properties: {
        budget_id: { type: 'string', description: 'The budget.' },
        place: { type: 'string', enum: [...BUDGET_PLACES], description: 'What the budget applies to.' },
        period: { type: 'string', enum: [...BUDGET_PERIODS], description: 'How often it begins again.' },
        unit: { type: 'string', enum: [...BUDGET_UNITS], description: 'Whether it is in money or in tokens.' },
        limit: { type: 'string', description: 'The budget of the current period, as a decimal number.' },
        spent: { type: 'string', description: 'What the steps of the current period cost.' },
        needed: { type: 'string', description: 'What the next step can cost at most.' },
        period_ends_at: { type: ['string', 'null'], description: 'When the current period ends. Null: never.' },
        approver: { type: 'string', enum: [...APPROVERS], description: 'Who can answer.' },
      },
      required: ['budget_id', 'place', 'period', 'unit', 'limit', 'spent', 'needed', 'period_ends_at', 'approver'],
    },
  },
} as const satisfies Readonly<Record<string, ClientToolDeclaration>>;

export type ClientToolName = keyof typeof CLIENT_TOOLS;

export const CLIENT_TOOL_NAMES = Object.keys(CLIENT_TOOLS) as readonly ClientToolName[];

/** The client tools that a workflow can offer to the model. */
export const OFFERED_CLIENT_TOOLS = CLIENT_TOOL_NAMES.filter((name) => !DECISION_TOOLS.includes(name));

export function isClientToolName(name: string): name is ClientToolName {
  return Object.hasOwn(CLIENT_TOOLS, name);
}
