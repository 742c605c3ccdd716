import type { VariablesOf } from 'gql.tada';
import { jsonText } from '../../build/json.ts';
import { newPair, type Pair } from '../../build/pairs.tsx';
import type { WorkflowData } from '../data.ts';
import type { UPDATE_WORKFLOW } from '../documents.ts';

export type DraftInput = NonNullable<VariablesOf<typeof UPDATE_WORKFLOW>['input']['draft']>;
type Config = WorkflowData['draft'];
type ClientTool = Config['clientTools'][number];
type HttpAction = Config['httpActions'][number];
type McpServer = Config['mcpServers'][number];
export type ResourceToolName = Config['resourceTools'][number];

/** Items of a list that grows and shrinks have keys of their own: those that were stored, their place. */
interface Keyed {
  readonly key: string;
}

export interface ClientToolForm extends Keyed {
  readonly name: string;
  readonly description: string;
  readonly availability: ClientTool['availability'];
  readonly inputSchema: string;
}

export interface HttpActionForm extends Keyed {
  readonly name: string;
  readonly description: string;
  readonly integration: string;
  readonly method: HttpAction['method'];
  readonly url: string;
  readonly headers: readonly Pair[];
  readonly inputSchema: string;
  readonly timeoutSeconds: string;
}

export interface McpServerForm extends Keyed {
  readonly name: string;
  readonly integration: string;
  /** One of the server's own names a line; empty for all. */
  readonly tools: string;
  readonly timeoutSeconds: string;
}

/** A workflow's name and draft as they are being written: numbers and JSON are texts, which may be wrong. */
export interface DraftForm {
  readonly name: string;
  readonly instructions: string;
  readonly model: string;
  readonly historyLimit: string;
  readonly maxSteps: string;
  readonly timeoutSeconds: string;
  readonly titleModel: boolean;
  readonly allowConversationCompletion: boolean;
  readonly outputSchema: string;
  readonly clientTools: readonly ClientToolForm[];
  readonly httpActions: readonly HttpActionForm[];
  readonly mcpServers: readonly McpServerForm[];
  readonly resourceTools: readonly ResourceToolName[];
}

let made = 0;

function newKey(): string {
  made += 1;
  return `new-${made}`;
}

export const isNew = ({ key }: Keyed): boolean => key.startsWith('new-');

export const newClientTool = (): ClientToolForm => ({
  key: newKey(),
  name: '',
  description: '',
  availability: 'when_connected',
  inputSchema: '',
});

export const newHttpAction = (): HttpActionForm => ({
  key: newKey(),
  name: '',
  description: '',
  integration: '',
  method: 'GET',
  url: '',
  headers: [],
  inputSchema: '',
  timeoutSeconds: '',
});

export const newMcpServer = (): McpServerForm => ({
  key: newKey(),
  name: '',
  integration: '',
  tools: '',
  timeoutSeconds: '',
});

const schemaText = (schema: Record<string, unknown> | null): string => (schema ? jsonText(schema) : '');

const toolForm = ({ inputSchema, ...rest }: ClientTool, index: number): ClientToolForm => ({
  key: String(index),
  ...rest,
  inputSchema: schemaText(inputSchema),
});

const actionForm = (action: HttpAction, index: number): HttpActionForm => ({
  ...action,
  key: String(index),
  integration: action.integration ?? '',
  headers: action.headers.map(({ name, value }) => newPair(name, value)),
  inputSchema: schemaText(action.inputSchema),
  timeoutSeconds: String(action.timeoutSeconds),
});

const serverForm = ({ tools, timeoutSeconds, ...rest }: McpServer, index: number): McpServerForm => ({
  key: String(index),
  ...rest,
  tools: tools?.join('\n') ?? '',
  timeoutSeconds: String(timeoutSeconds),
});

export function formOf({ name, draft }: Pick<WorkflowData, 'name' | 'draft'>): DraftForm {
  return {
    name,
    ...draft,
    model: draft.model ?? '',
    historyLimit: String(draft.historyLimit),
    maxSteps: String(draft.maxSteps),
    timeoutSeconds: String(draft.timeoutSeconds),
    outputSchema: schemaText(draft.outputSchema),
    clientTools: draft.clientTools.map(toolForm),
    httpActions: draft.httpActions.map(actionForm),
    mcpServers: draft.mcpServers.map(serverForm),
  };
}

const withoutKeys = (value: unknown): string =>
  JSON.stringify(value, (name, item) => (name === 'key' ? undefined : item));

/** Whether two forms say the same. */
export const sameForm = (one: unknown, other: unknown): boolean => withoutKeys(one) === withoutKeys(other);

/** The fields that are other in one form than in another, as people are told them. */
export function differences(one: DraftForm, other: DraftForm): string[] {
  // Keys of an object of this type.
  const fields = Object.keys(TITLES) as (keyof DraftForm)[];
  return fields.filter((field) => !sameForm(one[field], other[field])).map((field) => TITLES[field]);
}

const TITLES: Readonly<Record<keyof DraftForm, string>> = {
  name: 'name',
  instructions: 'instructions',
  model: 'model',
  historyLimit: 'history limit',
  maxSteps: 'most steps',
  timeoutSeconds: 'timeout',
  titleModel: 'titles',
  allowConversationCompletion: 'completion',
  outputSchema: 'output schema',
  clientTools: 'client tools',
  httpActions: 'HTTP actions',
  mcpServers: 'MCP servers',
  resourceTools: 'resource tools',
};
