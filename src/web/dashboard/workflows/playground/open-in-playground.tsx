import { Link } from 'wouter';
import { useHref } from '../../location.ts';
import { useServiceQuery } from '../../requests.ts';
import { usePermission } from '../../session/session.ts';
import { PLAYGROUND_WORKFLOW } from '../documents.ts';

interface Props {
  readonly conversationId: string;
}

/** Opens a copy of a conversation in the playground of its workflow. */
export function OpenInPlayground({ conversationId }: Props) {
  const href = useHref();
  const { isLoading, workflowId } = usePlayground(conversationId);
  // Keeps its room, because the other buttons are next to it.
  if (isLoading) return <span aria-hidden="true" className="h-10 w-44" />;
  if (workflowId === undefined) return null;
  return (
    <Link
      to={href(`/workflows/${workflowId}`, { tab: 'playground', conversation: conversationId })}
      className="inline-flex min-h-10 items-center rounded-lg border border-line bg-surface px-4 font-medium hover:bg-sunken"
    >
      Open in playground
    </Link>
  );
}

interface TurnProps extends Props {
  readonly runId: string;
}

/** Opens the conversation before a turn in the playground, with the message of the turn to send to the draft. */
export function TryTurnWithDraft({ conversationId, runId }: TurnProps) {
  const { isLoading, workflowId } = usePlayground(conversationId);
  if (isLoading) return <span aria-hidden="true" className="h-6 w-32" />;
  return <TurnWithDraftLink {...{ conversationId, runId, workflowId }} />;
}

interface TurnLinkProps extends TurnProps {
  readonly workflowId: number | undefined;
}

/** The same if the workflow is known. */
export function TurnWithDraftLink({ conversationId, runId, workflowId }: TurnLinkProps) {
  const href = useHref();
  const canTest = usePermission('workflows:write');
  if (!canTest || workflowId === undefined) return null;
  return (
    <Link
      to={href(`/workflows/${workflowId}`, { tab: 'playground', conversation: conversationId, turn: runId })}
      className="inline-flex min-h-6 items-center text-accent hover:underline"
    >
      Try with the draft
    </Link>
  );
}

/** The workflow of a conversation, for members who can test it. */
function usePlayground(conversationId: string) {
  const canTest = usePermission('workflows:write');
  const { data, error } = useServiceQuery(PLAYGROUND_WORKFLOW, { id: conversationId }, { pause: !canTest });
  return { isLoading: canTest && !data && !error, workflowId: data?.conversation?.deployment?.workflow.workflowId };
}
