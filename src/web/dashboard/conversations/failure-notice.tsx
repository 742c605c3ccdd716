import type { ReactNode } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';

interface Props {
  readonly failure: { readonly message: string; readonly advice: string };
  readonly requestId: string | null;
  /** Links to the trace and to the playground. */
  readonly children?: ReactNode;
}

/** Why a turn failed, what to do, and the ID for the search in logs. */
export function FailureNotice({ failure: { message, advice }, requestId, children }: Props) {
  return (
    <section aria-label="Failed turn" className="flex gap-3 rounded-lg bg-danger-soft px-4 py-3 text-ink">
      <Icon name="warning" className="mt-0.5 size-5 shrink-0 text-danger" />
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <p className="font-medium text-danger">{message}</p>
        <p>{advice}</p>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
          {requestId && (
            <>
              <span className="min-w-0 wrap-anywhere">
                Request <code className="font-mono">{requestId}</code>
              </span>
              <CopyButton text={requestId} label="Copy request ID" />
            </>
          )}
          {children}
        </div>
      </div>
    </section>
  );
}
