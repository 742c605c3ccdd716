import type { ReactNode } from 'react';
import type { ParleyError } from '../../sdk/index.ts';
import { isSessionMissing, SessionMissing, sessionMissing } from '../hosted/session-missing.tsx';
import { errorText } from '../messages/error-text.ts';
import { texts } from '../texts/current.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

interface Props {
  readonly error: ParleyError;
  /** Sends a turn that continues. */
  readonly onContinue: () => void;
  /** Sends the tool results again. Undefined if there is nothing to send. */
  readonly onRetry: (() => void) | undefined;
}

/** The endings of a turn after which the user can continue. */
function endingOf({ code }: ParleyError): string | undefined {
  const { errors, turn } = texts();
  if (code === 'run_failed' || code === 'model_error') return errors.run_failed;
  if (code === 'model_timeout') return turn.timedOut;
  if (code === 'run_interrupted') return turn.interrupted;
  return code === 'run_expired' ? turn.stoppedWaiting : undefined;
}

/** Why the latest turn failed, with an action. */
export function RunNotice({ error, onContinue, onRetry }: Props) {
  const ending = endingOf(error);
  if (ending) {
    return (
      <Notice tone="warn" action={<Button onClick={onContinue}>{texts().turn.continue}</Button>}>
        {ending}
      </Notice>
    );
  }
  if (isSessionMissing(error)) {
    return (
      <Notice tone="warn" action={<SessionMissing />}>
        {sessionMissing()}
      </Notice>
    );
  }
  const action: ReactNode = onRetry && <Button onClick={onRetry}>{texts().page.tryAgain}</Button>;
  return (
    <Notice tone="danger" action={action}>
      {errorText(error)}
    </Notice>
  );
}
