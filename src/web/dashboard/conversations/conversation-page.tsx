import { Link, useParams } from 'wouter';
import { useHref } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { isUuid } from '../shell/filters.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { PageFrame, Section } from '../shell/page-frame.tsx';
import { LogsTable } from '../usage/logs-table.tsx';
import { DeleteButton, ExportButton } from './conversation-actions.tsx';
import { Details } from './details.tsx';
import { CONVERSATION, CONVERSATION_LOG } from './documents.ts';
import { LiveTimeline } from './live-timeline.tsx';
import { PendingCalls } from './pending-calls.tsx';
import { ConversationBadge } from './run-badge.tsx';

export function Page() {
  const { conversationId = '' } = useParams();
  return isUuid(conversationId) ? <Conversation key={conversationId} id={conversationId} /> : <NotFound />;
}

function Conversation({ id }: { readonly id: string }) {
  const href = useHref();
  const canWrite = usePermission('conversations:write');
  const query = useServiceQuery(CONVERSATION, { id });
  const conversation = query.data?.conversation;
  if (conversation === null && !query.error) return <NotFound />;
  const back = (
    <span className="flex flex-wrap items-center gap-3">
      <Link to={href('/conversations')} className="text-accent hover:underline">
        Conversations
      </Link>
      {conversation && <ConversationBadge {...conversation} />}
    </span>
  );
  const actions = conversation && (
    <>
      <ExportButton id={id} />
      {canWrite && <DeleteButton id={id} name={conversation.name} />}
    </>
  );
  return (
    <PageFrame title={conversation?.name ?? 'Conversation'} lead={back} actions={actions}>
      <Loaded query={query}>
        {() =>
          conversation && (
            <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
              <div className="flex min-w-0 flex-col gap-6">
                <Section title="Timeline">
                  <LiveTimeline id={id} deploymentId={conversation.deploymentId} canWrite={canWrite} />
                </Section>
                {canWrite && conversation.pendingActions.length > 0 && (
                  <PendingCalls
                    key={conversation.pendingActions.map(({ callId }) => callId).join(' ')}
                    id={id}
                    deploymentId={conversation.deploymentId}
                    calls={conversation.pendingActions}
                  />
                )}
              </div>
              <Details {...conversation} />
            </div>
          )
        }
      </Loaded>
      {conversation && <Log id={id} />}
    </PageFrame>
  );
}

function Log({ id }: { readonly id: string }) {
  const href = useHref();
  const canRead = usePermission('workflows:read');
  const query = useServiceQuery(CONVERSATION_LOG, { id }, { pause: !canRead });
  if (!canRead) return null;
  return (
    <Section title="Turns">
      <Loaded query={query}>
        {({ workflowLogs: { nodes, pageInfo } }) => (
          <>
            <LogsTable label="Turns" entries={nodes} empty="No turn has finished or paused yet." ofOneConversation />
            {pageInfo.hasNextPage && (
              <Link to={href('/usage', { conversation: id })} className="mt-3 inline-block text-accent hover:underline">
                All turns
              </Link>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function NotFound() {
  const href = useHref();
  return (
    <PageFrame title="Conversation not found">
      <p className="text-muted">
        It may have been deleted, or it belongs to the other environment.{' '}
        <Link to={href('/conversations')} className="text-accent hover:underline">
          All conversations
        </Link>
      </p>
    </PageFrame>
  );
}
