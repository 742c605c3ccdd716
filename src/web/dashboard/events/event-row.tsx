import { Link } from 'wouter';
import { type EnumName, enumValueIn } from '../../../contract/enum-names.ts';
import { EVENT_TYPES, type EventType, LIFECYCLE_EVENT_TYPES } from '../../../contract/statuses.ts';
import { JsonView } from '../../timeline/json-view.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Badge, type Tone } from '../../ui/notice.tsx';
import { ExactTime, Time } from '../../ui/time.tsx';
import { useHref } from '../location.ts';
import { usePermission } from '../session/session.ts';
import { changesOf, FieldChanges } from './field-changes.tsx';

interface Props {
  readonly eventId: string;
  readonly type: EnumName<EventType>;
  readonly resourceId: string;
  readonly occurredAt: string;
  readonly payload: { readonly json: Readonly<Record<string, unknown>> };
}

const TONES: Readonly<Record<string, Tone>> = {
  created: 'ok',
  connected: 'ok',
  updated: 'accent',
  deleted: 'danger',
  disconnected: 'danger',
  started: 'accent',
  waiting: 'warn',
  completed: 'ok',
  failed: 'danger',
  interrupted: 'warn',
};

/** What the ID of an event identifies, by the first part of the type. */
const SUBJECTS: Readonly<Record<string, string>> = {
  resource: 'Resource',
  integration: 'Integration',
  run: 'Run',
  conversation: 'Conversation',
  trigger: 'Trigger',
};

/** An event. It opens to show the payload. */
export function EventRow({ eventId, type: name, resourceId, occurredAt, payload: { json: payload } }: Props) {
  const type = enumValueIn(EVENT_TYPES, name);
  const href = useHref();
  const canReadResources = usePermission('resources:read');
  const canReadConversations = usePermission('conversations:read');
  const subject = SUBJECTS[type.split('.')[0] ?? ''] ?? 'Resource';
  const isLifecycle = (LIFECYCLE_EVENT_TYPES as readonly string[]).includes(type);
  const conversationId = isLifecycle && typeof payload.conversation_id === 'string' ? payload.conversation_id : null;
  const changes = changesOf(payload);
  const exists = type.startsWith('resource.') && type !== 'resource.deleted';
  return (
    <details className="group rounded-lg border border-line bg-surface">
      <summary className="flex min-h-11 cursor-pointer list-none flex-wrap items-center gap-x-3 gap-y-1 rounded-lg px-3 py-2 hover:bg-sunken [&::-webkit-details-marker]:hidden">
        <Icon name="chevron" className="size-4 text-muted transition group-open:rotate-90" />
        <Badge tone={TONES[type.split('.')[1] ?? ''] ?? 'neutral'}>{type}</Badge>
        <span className="min-w-0 flex-1 basis-40 truncate">{summaryOf(type, payload, changes?.length)}</span>
        <code className="hidden font-mono text-sm text-muted lg:inline">{resourceId}</code>
        <span className="text-right text-sm text-muted lg:w-28">
          <Time at={occurredAt} />
        </span>
      </summary>
      <div className="flex flex-col gap-4 border-t border-line p-4">
        <dl className="grid gap-x-6 gap-y-1 text-sm sm:grid-cols-[auto_1fr]">
          <dt className="text-muted">Event ID</dt>
          <dd className="font-mono break-all">{eventId}</dd>
          <dt className="text-muted">{subject} ID</dt>
          <dd className="font-mono break-all">{resourceId}</dd>
          <dt className="text-muted">Time</dt>
          <dd>
            <ExactTime at={occurredAt} />
          </dd>
        </dl>
        {changes && <FieldChanges changes={changes} />}
        <JsonView label="Payload" value={payload} />
        <div className="flex flex-wrap items-center gap-3">
          <Link
            to={href('/events', {
              resource: resourceId,
              ...(isLifecycle && { types: LIFECYCLE_EVENT_TYPES.join(',') }),
            })}
            className="text-accent hover:underline"
          >
            All events of this {subject.toLowerCase()}
          </Link>
          {exists && canReadResources && (
            <Link to={href(`/resources/${resourceId}`)} className="text-accent hover:underline">
              Open resource
            </Link>
          )}
          {conversationId && canReadConversations && (
            <Link to={href(`/conversations/${conversationId}`)} className="text-accent hover:underline">
              Open conversation
            </Link>
          )}
          <CopyButton text={eventId} label="Copy event ID" />
        </div>
      </div>
    </details>
  );
}

/** The event in a few words. */
function summaryOf(type: string, payload: Props['payload']['json'], changed: number | undefined): string {
  if (changed !== undefined) return changed === 1 ? '1 field changed' : `${changed} fields changed`;
  const { type: kind, name, error_code: errorCode } = payload;
  const subject = type.startsWith('run.') ? errorCode : type.startsWith('integration.') ? name : kind;
  return typeof subject === 'string' ? subject : '';
}
