import type { ReactNode } from 'react';
import type { ParleyError } from '../../sdk/index.ts';
import { wordsOf } from '../hosted/error-words.ts';
import { isOutside, VISIT_OVER, VisitOver } from '../hosted/visit-over.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

interface Props {
  readonly error: ParleyError;
  /** Takes a turn that goes on. */
  readonly onContinue: () => void;
  /** Does again what did not get through. */
  readonly onRetry: (() => void) | undefined;
}

const ENDED: Readonly<Record<string, string>> = {
  run_failed: 'The assistant could not answer. What you wrote is kept.',
  model_error: 'The assistant could not answer. What you wrote is kept.',
  model_timeout: 'The assistant took too long to answer. What you wrote is kept.',
  run_interrupted: 'The assistant was interrupted. Your answers are kept.',
  run_expired: 'The assistant has waited too long for an answer.',
};

/** Errors that a form tells itself, at the field that they are about. */
export const isOfForm = ({ param, code }: ParleyError) =>
  code === 'invalid_tool_result' || (param?.startsWith('tool_results') ?? false);

/** Why the latest turn has not ended well, and what can be done about it. */
export function RunNotice({ error, onContinue, onRetry }: Props) {
  const ended = Object.hasOwn(ENDED, error.code) ? ENDED[error.code] : undefined;
  if (ended) {
    return (
      <Notice tone="warn" action={<Button onClick={onContinue}>Continue</Button>}>
        {ended}
      </Notice>
    );
  }
  if (isOutside(error)) {
    return (
      <Notice tone="warn" action={<VisitOver />}>
        {VISIT_OVER}
      </Notice>
    );
  }
  const action: ReactNode = onRetry && <Button onClick={onRetry}>Try again</Button>;
  return (
    <Notice tone="danger" action={action}>
      {wordsOf(error)}
    </Notice>
  );
}
