import { Link, useParams } from 'wouter';
import { useHref } from '../location.ts';
import { useReading } from '../requests.ts';
import { useMay } from '../session/session.ts';
import { isUuid } from '../shell/filters.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { PageFrame, Section } from '../shell/page-frame.tsx';
import { LogsTable } from '../usage/logs-table.tsx';
import { Details } from './details.tsx';
import { CONVERSATION, CONVERSATION_LOG } from './documents.ts';
import { Deletion, ExportButton } from './farewell.tsx';
import { LiveTimeline } from './live-timeline.tsx';
import { PendingCalls } from './pending-calls.tsx';
import { ConversationBadge } from './run-badge.tsx';

export function Page() {
  const { conversationId = '' } = useParams();
  return isUuid(conversationId) ? <OneConversation key={conversationId} id={conversationId} /> : <Gone />;
}

function OneConversation({ id }: { readonly id: string }) {
  const href = useHref();
  const mayWrite = useMay('conversations:write');
  const reading = useReading(CONVERSATION, { id });
  if (reading.fault?.code === 'not_found') return <Gone />;
  const conversation = reading.data?.conversation;
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
      {mayWrite && <Deletion id={id} name={conversation.name} />}
    </>
  );
  return (
    <PageFrame title={conversation?.name ?? 'Conversation'} lead={back} actions={actions}>
      <Loaded reading={reading}>
        {() =>
          conversation && (
            <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
              <div className="flex min-w-0 flex-col gap-6">
                <Section title="Timeline">
                  <LiveTimeline id={id} deploymentId={conversation.deploymentId} />
                </Section>
                {mayWrite && conversation.pendingActions.length > 0 && (
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
  const mayRead = useMay('workflows:read');
  const reading = useReading(CONVERSATION_LOG, { id }, { pause: !mayRead });
  if (!mayRead) return null;
  return (
    <Section title="Turns in the workflow log">
      <Loaded reading={reading}>
        {({ workflowLogs: { nodes, pageInfo } }) => (
          <>
            <LogsTable label="Turns" lines={nodes} empty="No turn has ended or paused yet." ofOneConversation />
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

function Gone() {
  const href = useHref();
  return (
    <PageFrame title="There is no such conversation">
      <p className="text-muted">
        It may have been deleted, or belong to the other environment.{' '}
        <Link to={href('/conversations')} className="text-accent hover:underline">
          All conversations
        </Link>
      </p>
    </PageFrame>
  );
}
