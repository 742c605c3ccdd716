import { type GraphQLSchema, type OperationDefinitionNode, parse } from 'graphql';
import { GRAPHQL_INPUT } from '../../operation/input.ts';
import { uuidOf } from '../../operation/uuid.ts';
import type { Call } from './tool-call.ts';

/** The last items have the reply: only a completed conversation and a summary can follow it. */
const DOCUMENT = parse(`
  query ReadTask($id: ID!) {
    run(id: $id) {
      runId
      status
      finishReason
      handledBy
      createdAt
      updatedAt
      failure { reason message }
      history(last: 5) {
        nodes {
          type
          ... on Message { role author { displayName } content { ... on TextPart { text } } }
        }
      }
      conversation {
        conversationId
        deploymentId
        pendingActions { callId name arguments expiresAt }
      }
    }
  }
`);

/** A call that waits, as a result of a tool has it. */
export interface WaitingCall {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly expires_at?: string;
}

/** A turn as a task shows it. */
export interface TaskRun {
  readonly runId: string;
  readonly conversationId: string;
  readonly deploymentId: string;
  readonly status: string;
  readonly finishReason: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly failure: { readonly reason: string; readonly message: string } | null;
  /** Empty: it has no text. */
  readonly reply: string;
  /** Who answers its message in place of the assistant. Undefined: the assistant. */
  readonly handledBy: Handler | undefined;
  readonly pending: readonly WaitingCall[];
}

type Handler = 'waiting' | 'member';

interface Item {
  readonly type: string;
  readonly role?: string;
  readonly author?: object | null;
  readonly content?: readonly { readonly text?: string }[];
}

interface Run {
  readonly runId: string;
  readonly status: string;
  readonly finishReason: string | null;
  readonly handledBy: Handler | null;
  readonly createdAt: string | Date;
  readonly updatedAt: string | Date;
  readonly failure: { readonly reason: string; readonly message: string } | null;
  readonly history: { readonly nodes: readonly Item[] };
  readonly conversation: {
    readonly conversationId: string;
    readonly deploymentId: string;
    readonly pendingActions: readonly {
      readonly callId: string;
      readonly name: string;
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly expiresAt: string | Date | null;
    }[];
  } | null;
}

/** What the caller must be allowed to read a task. The document has the same scope. */
export const TASK_ACCESS = { roots: [{ access: { scope: 'conversations:read' } }] } as const;

/** The turn of a task. Undefined: the caller can see no such turn. @throws {GraphQLError} */
export async function readTask(schema: GraphQLSchema, taskId: string, call: Call): Promise<TaskRun | undefined> {
  const id = uuidOf(taskId);
  if (id === undefined) return undefined;
  const outcome = await call.pipeline.run(call.opened, {
    schema,
    document: DOCUMENT,
    operation: DOCUMENT.definitions[0] as OperationDefinitionNode,
    isOwn: true,
    variables: () => ({ id }),
    style: GRAPHQL_INPUT,
    key: undefined,
    fingerprint: () => [],
  });
  if (outcome.kind === 'stream') throw new Error('A task must not be a subscription.');
  const [error] = outcome.result.errors ?? [];
  if (error?.extensions.code === 'not_found') return undefined;
  if (error) throw error;
  const { run } = outcome.result.data as { readonly run: Run | null };
  return run?.conversation ? taskRun(run, run.conversation) : undefined;
}

function taskRun(
  { history, status, finishReason, handledBy, createdAt, updatedAt, failure, runId }: Run,
  { conversationId, deploymentId, pendingActions }: NonNullable<Run['conversation']>,
): TaskRun {
  // A run also has what a person wrote after its reply.
  const own = history.nodes.filter(({ author }) => !author);
  return {
    ...{ runId, conversationId, deploymentId, status, finishReason, failure },
    createdAt: timeOf(createdAt),
    updatedAt: timeOf(updatedAt),
    reply: replyIn(own),
    handledBy: handledBy ?? undefined,
    pending: pendingActions.map(({ callId, name, arguments: args, expiresAt }) => ({
      ...{ call_id: callId, name, arguments: args },
      ...(expiresAt !== null && { expires_at: timeOf(expiresAt) }),
    })),
  };
}

const timeOf = (time: string | Date): string => new Date(time).toISOString();

/** The text of the last step. It can be empty. */
function replyIn(items: readonly Item[]): string {
  const last = items.findLast(({ type }) => !AFTER_REPLY.has(type));
  if (last?.role !== 'assistant') return '';
  return (last.content ?? []).map(({ text = '' }) => text).join('');
}

const AFTER_REPLY: ReadonlySet<string> = new Set(['conversation_completed', 'summary']);
