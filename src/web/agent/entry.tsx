import type { AgentState } from '../../sdk/index.ts';
import { wordsOf } from '../hosted/error-words.ts';
import { isOutside, VISIT_OVER, VisitOver } from '../hosted/visit-over.tsx';
import { Button } from '../ui/button.tsx';
import { PageState } from './page-state.tsx';
import type { TriggerStart } from './use-trigger-start.ts';

interface Props {
  readonly agent: Pick<AgentState, 'conversationId' | 'error' | 'history'>;
  readonly trigger: TriggerStart;
  /** Whether a conversation begins with a link's trigger alone. */
  readonly triggerRequired: boolean;
  readonly onTriggerAgain: () => void;
  readonly onOpenAgain: () => void;
  /** Begins another conversation; undefined where that takes another link. */
  readonly onNew: (() => void) | undefined;
}

/** What stands in the way of any conversation; null where nothing does. */
export function entryState(props: Props) {
  const { agent, trigger, triggerRequired, onTriggerAgain, onOpenAgain, onNew } = props;
  const begin = onNew && <Button onClick={onNew}>Start a new conversation</Button>;
  if (trigger.kind === 'expired') {
    return (
      <PageState title="This link has expired" action={begin}>
        Ask whoever gave it to you for another one.
      </PageState>
    );
  }
  if (trigger.kind === 'unknown') {
    return (
      <PageState title="This link leads nowhere" action={begin}>
        It may be incomplete, or it was meant for another assistant.
      </PageState>
    );
  }
  if (trigger.kind === 'failed') return <Fault error={trigger.error} onRetry={onTriggerAgain} />;
  const { conversationId, error, history } = agent;
  if (conversationId === null && trigger.kind === 'none' && triggerRequired) {
    return <PageState title="This assistant is opened from a link">Use the link that you were given.</PageState>;
  }
  if (conversationId === null || !error || history.length > 0) return null;
  // An id that is no id is as good as one that is not there.
  if (error.status === 404 || error.code === 'invalid_request') {
    return (
      <PageState title="This conversation is not there" action={begin}>
        The link may be incomplete, or the conversation was deleted.
      </PageState>
    );
  }
  return <Fault error={error} onRetry={onOpenAgain} />;
}

function Fault({ error, onRetry }: { readonly error: NonNullable<Props['agent']['error']>; onRetry: () => void }) {
  if (isOutside(error)) {
    return (
      <PageState title="This visit is over" action={<VisitOver />}>
        {VISIT_OVER}
      </PageState>
    );
  }
  return (
    <PageState title="This page cannot go on" action={<Button onClick={onRetry}>Try again</Button>}>
      {wordsOf(error)}
    </PageState>
  );
}
