import type { AgentState } from '../../sdk/index.ts';
import { errorText } from '../hosted/error-text.ts';
import { isSessionMissing, SESSION_MISSING, SessionMissing } from '../hosted/session-missing.tsx';
import { Button } from '../ui/button.tsx';
import { PageState } from './page-state.tsx';
import type { TriggerStart } from './use-trigger-start.ts';

interface Props {
  readonly agent: Pick<AgentState, 'conversationId' | 'error' | 'history'>;
  readonly trigger: TriggerStart;
  /** Whether only links with a trigger start conversations. */
  readonly triggerRequired: boolean;
  readonly onRetryStart: () => void;
  readonly onReopen: () => void;
  /** Starts another conversation. Undefined if this deployment requires a link. */
  readonly onNew: (() => void) | undefined;
}

/** The reason why no conversation can be shown. Null if one can. */
export function entryState(props: Props) {
  const { agent, trigger, triggerRequired, onRetryStart, onReopen, onNew } = props;
  const startButton = onNew && <Button onClick={onNew}>Start a new conversation</Button>;
  if (trigger.kind === 'expired') {
    return (
      <PageState title="This link has expired" action={startButton}>
        Ask the sender for a new link.
      </PageState>
    );
  }
  if (trigger.kind === 'unknown') {
    return (
      <PageState title="This link is not valid" action={startButton}>
        It may be incomplete, or it is for another assistant.
      </PageState>
    );
  }
  if (trigger.kind === 'failed') return <EntryError error={trigger.error} onRetry={onRetryStart} />;
  const { conversationId, error, history } = agent;
  if (conversationId === null && trigger.kind === 'none' && triggerRequired) {
    return <PageState title="This assistant needs a link">Open the link that you received.</PageState>;
  }
  if (conversationId === null || !error || history.length > 0) return null;
  // An ID that is not a UUID is an invalid request.
  if (error.status === 404 || error.code === 'invalid_request') {
    return (
      <PageState title="Conversation not found" action={startButton}>
        It was deleted, or its link is incomplete.
      </PageState>
    );
  }
  return <EntryError error={error} onRetry={onReopen} />;
}

function EntryError({ error, onRetry }: { readonly error: NonNullable<Props['agent']['error']>; onRetry: () => void }) {
  if (isSessionMissing(error)) {
    return (
      <PageState title="This conversation cannot be shown here" action={<SessionMissing />}>
        {SESSION_MISSING}
      </PageState>
    );
  }
  return (
    <PageState title="This page could not be loaded" action={<Button onClick={onRetry}>Try again</Button>}>
      {errorText(error)}
    </PageState>
  );
}
