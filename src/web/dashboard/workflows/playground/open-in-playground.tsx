import type { ReactNode } from 'react';
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
  const { isLoading, link } = usePlayground({ conversation: conversationId });
  // Keeps its room, because the other buttons are next to it.
  if (isLoading) return <span aria-hidden="true" className="h-10 w-44" />;
  return link(
    'inline-flex min-h-10 items-center rounded-lg border border-line bg-surface px-4 font-medium hover:bg-sunken',
    'Open in playground',
  );
}

interface TurnProps extends Props {
  readonly runId: string;
}

/** Opens the conversation before a turn in the playground, with the message of the turn to send to the draft. */
export function TryTurnWithDraft({ conversationId, runId }: TurnProps) {
  const { link } = usePlayground({ conversation: conversationId, turn: runId });
  return link('inline-flex min-h-6 items-center text-accent hover:underline', 'Try with the draft');
}

/** A link to the playground of a conversation's workflow. Null for members who cannot test. */
function usePlayground(query: { readonly conversation: string; readonly turn?: string }) {
  const href = useHref();
  const canTest = usePermission('workflows:write');
  const { data, error } = useServiceQuery(PLAYGROUND_WORKFLOW, { id: query.conversation }, { pause: !canTest });
  const workflowId = data?.conversation?.deployment?.workflow.workflowId;
  return {
    isLoading: canTest && !data && !error,
    link: (className: string, text: ReactNode) =>
      workflowId !== undefined && (
        <Link to={href(`/workflows/${workflowId}`, { tab: 'playground', ...query })} className={className}>
          {text}
        </Link>
      ),
  };
}
