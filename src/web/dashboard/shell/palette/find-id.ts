import type { ResultOf } from 'gql.tada';
import { enumNameOf } from '../../../../contract/enum-names.ts';
import { UUID_PATTERN } from '../../../../contract/ids.ts';
import { LIMITS } from '../../../../contract/limits.ts';
import type { Scope } from '../../../../contract/scopes.ts';
import type { Me } from '../../session/session.ts';
import type { Command } from './commands.ts';
import type { FIND_BY_ID } from './documents.ts';

interface Kind {
  readonly type: string;
  readonly form: RegExp;
  readonly needs: Scope;
}

const NUMBER = /^\d{1,15}$/;
const ITEM = /^item_\d{16}$/;
const prefixed = (prefix: string) => new RegExp(`^${prefix}_[0-9a-z]{26}$`);

/** Every kind of record that has a page, with the form of its IDs. */
const KINDS: readonly Kind[] = [
  { type: 'Conversation', form: UUID_PATTERN, needs: 'conversations:read' },
  { type: 'Run', form: UUID_PATTERN, needs: 'conversations:read' },
  { type: 'Deployment', form: UUID_PATTERN, needs: 'workflows:read' },
  { type: 'Workflow', form: NUMBER, needs: 'workflows:read' },
  { type: 'WorkflowLog', form: NUMBER, needs: 'workflows:read' },
  { type: 'WebhookDelivery', form: NUMBER, needs: 'webhooks:manage' },
  { type: 'WebhookEndpoint', form: prefixed('whk'), needs: 'webhooks:manage' },
  { type: 'Resource', form: prefixed('res'), needs: 'resources:read' },
  { type: 'Integration', form: prefixed('int'), needs: 'integrations:manage' },
  { type: 'ApiKey', form: prefixed('key'), needs: 'keys:manage' },
  { type: 'Event', form: prefixed('evt'), needs: 'events:read' },
  { type: 'Document', form: prefixed('doc'), needs: 'documents:read' },
  { type: 'Trigger', form: /^[A-Za-z0-9_-]{8}$/, needs: 'triggers:read' },
  ...['Message', 'ToolCall', 'ActionCall', 'ClientToolCall'].map((type) => ({
    type,
    form: ITEM,
    needs: 'conversations:read' as const,
  })),
];

/** The global IDs that a text can stand for. Empty if it is no ID, or only of records that the user may not read. */
export function candidatesOf(text: string, { scopes }: Pick<Me, 'scopes'>): string[] {
  const id = UUID_PATTERN.test(text.toLowerCase()) ? text.toLowerCase() : text;
  return KINDS.filter(({ form, needs }) => form.test(id) && scopes.includes(enumNameOf(needs))).map(({ type }) =>
    btoa(`${type}:${ITEM.test(id) ? Number(id.slice('item_'.length)) : id}`),
  );
}

/** IDs of requests, calls and clients have no fixed form. A word without a digit is the name of a page, not an ID. */
const ANY_ID = /^(?=.*\d)\S{8,}$/;

/** Whether a text can be the ID of something in a conversation, like a request or a call. */
export const isPossibleId = (text: string, { scopes }: Pick<Me, 'scopes'>): boolean =>
  ANY_ID.test(text) && text.length <= LIMITS.searchLength && scopes.includes('CONVERSATIONS_READ');

/** The conversation that an ID belongs to. */
export function conversationCommand({ conversationId, name }: { conversationId: string; name: string }): Command {
  const to = `/conversations/${conversationId}`;
  return { id: `Conversation ${to}`, label: name, note: 'Conversation', icon: 'search', to };
}

type Found = NonNullable<ResultOf<typeof FIND_BY_ID>['nodes'][number]>;

/** Where the ID leads. Undefined if its record has no page any more. */
export function commandOf(found: Found): Command | undefined {
  const target = targetOf(found);
  if (!target) return undefined;
  const [kind, label, to, query] = target;
  return { id: `${found.__typename} ${to}`, label, note: kind, icon: 'search', to, ...(query && { query }) };
}

type Target = readonly [kind: string, label: string, to: string, query?: Readonly<Record<string, string>>];

function targetOf(found: Found): Target | undefined {
  switch (found.__typename) {
    case 'Conversation':
      return ['Conversation', found.name, `/conversations/${found.conversationId}`];
    case 'Run':
      return conversationOf('Run', found.conversation);
    case 'Message':
    case 'ToolCall':
    case 'ActionCall':
    case 'ClientToolCall':
      return conversationOf('Item', found.conversation);
    case 'WorkflowLog':
      return found.turnOf
        ? ['Turn', found.requestId, `/conversations/${found.turnOf}`]
        : ['One-shot run', found.requestId, '/usage'];
    case 'Trigger':
      return found.startedId
        ? ['Trigger', found.triggerId, `/conversations/${found.startedId}`]
        : ['Trigger', found.triggerId, '/triggers', { deployment: found.deploymentId }];
    default:
      return settingsOf(found);
  }
}

const conversationOf = (kind: string, conversation: { conversationId: string; name: string } | null) =>
  conversation ? ([kind, conversation.name, `/conversations/${conversation.conversationId}`] as const) : undefined;

function settingsOf(found: Found): Target | undefined {
  switch (found.__typename) {
    case 'Deployment':
      return ['Deployment', found.name, `/deployments/${found.deploymentId}`];
    case 'Workflow':
      return ['Workflow', found.name, `/workflows/${found.workflowId}`];
    case 'Resource':
      return ['Resource', found.resourceType, `/resources/${found.resourceId}`];
    case 'WebhookEndpoint':
      return ['Webhook endpoint', found.url, `/webhooks/${found.endpointId}`];
    case 'WebhookDelivery':
      return ['Webhook delivery', found.endpoint.url, `/webhooks/${found.endpoint.endpointId}`];
    case 'Integration':
      return ['Integration', found.name, '/integrations'];
    case 'ApiKey':
      return ['API key', found.name, '/keys'];
    case 'Document':
      return ['Published operation', found.name, `/documents/${found.documentId}`];
    case 'Event':
      return ['Event', found.eventType, '/events', { resource: found.subjectId }];
    default:
      return undefined;
  }
}
