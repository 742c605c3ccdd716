import type { ReactNode } from 'react';
import type { ParleyError } from '../../sdk/index.ts';
import { errorText, RUN_FAILED } from '../hosted/error-text.ts';
import { isSessionMissing, SESSION_MISSING, SessionMissing } from '../hosted/session-missing.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

interface Props {
  readonly error: ParleyError;
  /** Sends a turn that continues. */
  readonly onContinue: () => void;
  /** Sends the tool results again. Undefined if there is nothing to send. */
  readonly onRetry: (() => void) | undefined;
}

const ENDINGS: Readonly<Record<string, string>> = {
  run_failed: RUN_FAILED,
  model_error: RUN_FAILED,
  model_timeout: 'The assistant took too long to answer. Your message is saved.',
  run_interrupted: 'The assistant was interrupted. Your answers are saved.',
  run_expired: 'The assistant stopped waiting for an answer.',
};

/** Errors that a form shows at its field. */
export const isFormError = ({ param, code }: ParleyError) =>
  code === 'invalid_tool_result' || (param?.startsWith('tool_results') ?? false);

/** Why the latest turn failed, with an action. */
export function RunNotice({ error, onContinue, onRetry }: Props) {
  const ending = Object.hasOwn(ENDINGS, error.code) ? ENDINGS[error.code] : undefined;
  if (ending) {
    return (
      <Notice tone="warn" action={<Button onClick={onContinue}>Continue</Button>}>
        {ending}
      </Notice>
    );
  }
  if (isSessionMissing(error)) {
    return (
      <Notice tone="warn" action={<SessionMissing />}>
        {SESSION_MISSING}
      </Notice>
    );
  }
  const action: ReactNode = onRetry && <Button onClick={onRetry}>Try again</Button>;
  return (
    <Notice tone="danger" action={action}>
      {errorText(error)}
    </Notice>
  );
}
