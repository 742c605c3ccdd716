import { Link } from 'wouter';
import { useHref } from '../../location.ts';
import { useServiceQuery } from '../../requests.ts';
import { usePermission } from '../../session/session.ts';
import { PLAYGROUND_WORKFLOW } from '../documents.ts';

/** Opens a copy of a conversation in the playground of its workflow. */
export function OpenInPlayground({ conversationId }: { readonly conversationId: string }) {
  const href = useHref();
  const canTest = usePermission('workflows:write');
  const { data, error } = useServiceQuery(PLAYGROUND_WORKFLOW, { id: conversationId }, { pause: !canTest });
  const workflowId = data?.conversation?.deployment?.workflow.workflowId;
  // Keeps its room, because the other buttons are next to it.
  if (canTest && !data && !error) return <span aria-hidden="true" className="h-10 w-44" />;
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
