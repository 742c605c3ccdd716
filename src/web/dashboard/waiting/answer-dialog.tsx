import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useRound } from '../../calls/use-round.ts';
import { Button, Loading } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PendingCalls } from '../conversations/pending-calls.tsx';
import { useConversation } from '../conversations/use-conversation.ts';
import { Loaded } from '../frame/loaded.tsx';
import { ReadOnlyNotice } from '../frame/page-frame.tsx';
import { useHref } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { WAITING_CONVERSATION } from './documents.ts';

interface Props {
  /** The ID of the conversation. */
  readonly id: string;
  readonly onClose: () => void;
}

/** All waiting calls of a conversation, with the forms of the agent page. Their answers are sent together. */
export function AnswerDialog({ id, onClose }: Props) {
  const query = useServiceQuery(WAITING_CONVERSATION, { id });
  const canWrite = usePermission('conversations:write');
  const conversation = query.data?.conversation;
  return (
    <Dialog title={conversation?.name ?? 'Waiting call'} onClose={onClose}>
      <Loaded query={query}>
        {() => {
          if (!conversation) return <Notice>This conversation was deleted.</Notice>;
          if (!canWrite) return <ReadOnlyNotice subject="the calls that wait" />;
          return <Answers {...{ id, onClose }} deploymentId={conversation.deploymentId} />;
        }}
      </Loaded>
    </Dialog>
  );
}

function Answers({ id, deploymentId, onClose }: Props & { readonly deploymentId: string }) {
  const href = useHref();
  const agent = useConversation(id, deploymentId);
  const round = useRound(agent);
  const [hadCalls, setHadCalls] = useState(false);
  const isWaiting = round.calls.length > 0;
  useEffect(() => {
    if (isWaiting) setHadCalls(true);
  }, [isWaiting]);
  if (agent.historyPageInfo === null && agent.error) return <Notice tone="danger">{agent.error.message}</Notice>;
  if (agent.historyPageInfo === null) return <Loading />;
  return (
    <div className="flex flex-col gap-4">
      <PendingCalls {...{ id, agent, round }} takesFocus />
      {!isWaiting && !round.note && (
        <Notice>
          {hadCalls ? 'Your answer was sent. The turn continues.' : 'No call waits in this conversation any more.'}
        </Notice>
      )}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Link to={href(`/conversations/${id}`)} className="text-accent hover:underline">
          Open the conversation
        </Link>
        {!isWaiting && <Button onClick={onClose}>Close</Button>}
      </div>
    </div>
  );
}
