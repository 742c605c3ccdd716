import { Link, useParams } from 'wouter';
import { enhancement } from '../../ui/load.ts';
import { isUuid } from '../frame/filters.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { NotFound } from '../frame/not-found.tsx';
import { PageFrame, Section } from '../frame/page-frame.tsx';
import { ConversationBadge } from '../frame/run-badge.tsx';
import { useHref, useListHref } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { OpenInPlayground } from '../workflows/playground/open-in-playground.tsx';
import { Content } from './content.tsx';
import { DeleteButton, ExportButton } from './conversation-actions.tsx';
import { Details } from './details.tsx';
import { CONVERSATION, CONVERSATION_LOG } from './documents.ts';

export function Page() {
  const { conversationId = '' } = useParams();
  return isUuid(conversationId) ? <Conversation key={conversationId} id={conversationId} /> : <PageMissing />;
}

function Conversation({ id }: { readonly id: string }) {
  const list = useListHref('/conversations');
  const canWrite = usePermission('conversations:write');
  const query = useServiceQuery(CONVERSATION, { id });
  const conversation = query.data?.conversation;
  if (conversation === null && !query.error) return <PageMissing />;
  const back = (
    <span className="flex flex-wrap items-center gap-3">
      <Link to={list} className="text-accent hover:underline">
        Conversations
      </Link>
      {conversation && (
        <ConversationBadge
          status={conversation.status}
          latestRun={conversation.latestRun && { status: conversation.latestRun.status }}
        />
      )}
    </span>
  );
  const actions = conversation && (
    <>
      <OpenInPlayground conversationId={id} />
      <ExportButton id={id} />
      {canWrite && <DeleteButton id={id} name={conversation.name} />}
    </>
  );
  return (
    <PageFrame title={conversation?.name ?? 'Conversation'} lead={back} actions={actions}>
      <Loaded query={query}>
        {() =>
          conversation && (
            <div className="in-order grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
              <Content conversation={conversation} />
              <Details {...conversation} />
            </div>
          )
        }
      </Loaded>
      {conversation && <Log id={id} isFork={conversation.forkedFrom !== null} />}
    </PageFrame>
  );
}

// It is below the conversation, and loads after the page.
const logsTable = enhancement(() => import('../usage/logs-table.tsx'));

function Log({ id, isFork }: { readonly id: string; readonly isFork: boolean }) {
  const href = useHref();
  const canRead = usePermission('workflows:read');
  const table = logsTable.useModule();
  const query = useServiceQuery(CONVERSATION_LOG, { id }, { pause: !canRead });
  if (!canRead) return null;
  const empty = isFork
    ? 'No turn has finished or paused since the fork. Earlier turns are in the log of the source.'
    : 'No turn has finished or paused yet.';
  return (
    <Section title="Turns">
      <Loaded query={query}>
        {({ workflowLogs: { nodes, pageInfo } }) => (
          <>
            {table && <table.LogsTable label="Turns" entries={nodes} empty={empty} ofOneConversation />}
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

function PageMissing() {
  return (
    <NotFound title="Conversation not found" to="/conversations" list="All conversations">
      It may have been deleted, or it belongs to the other environment.
    </NotFound>
  );
}
