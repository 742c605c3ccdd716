import type { AgentState } from '../../sdk/index.ts';
import { isSessionMissing, SessionMissing, sessionMissing } from '../hosted/session-missing.tsx';
import { errorText } from '../messages/error-text.ts';
import { texts } from '../texts/current.ts';
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
  const t = texts().entry;
  const startButton = onNew && <Button onClick={onNew}>{texts().page.startNew}</Button>;
  if (trigger.kind === 'expired') {
    return (
      <PageState title={t.expired} action={startButton}>
        {t.expiredAdvice}
      </PageState>
    );
  }
  if (trigger.kind === 'unknown') {
    return (
      <PageState title={t.unknown} action={startButton}>
        {t.unknownOrOther}
      </PageState>
    );
  }
  if (trigger.kind === 'failed') return <EntryError error={trigger.error} onRetry={onRetryStart} />;
  const { conversationId, error, history } = agent;
  if (conversationId === null && trigger.kind === 'none' && triggerRequired) {
    return <PageState title={t.linkNeeded}>{t.linkNeededAdvice}</PageState>;
  }
  if (conversationId === null || !error || history.length > 0) return null;
  // An ID that is not a UUID is an invalid request.
  if (error.status === 404 || error.code === 'invalid_request') {
    return (
      <PageState title={t.notFound} action={startButton}>
        {t.notFoundAdvice}
      </PageState>
    );
  }
  return <EntryError error={error} onRetry={onReopen} />;
}

function EntryError({ error, onRetry }: { readonly error: NonNullable<Props['agent']['error']>; onRetry: () => void }) {
  const t = texts().entry;
  if (isSessionMissing(error)) {
    return (
      <PageState title={t.cannotShow} action={<SessionMissing />}>
        {sessionMissing()}
      </PageState>
    );
  }
  return (
    <PageState title={t.pageNotLoaded} action={<Button onClick={onRetry}>{texts().page.tryAgain}</Button>}>
      {errorText(error)}
    </PageState>
  );
}
