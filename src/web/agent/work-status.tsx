import type { AgentStatus } from '../../sdk/index.ts';
import { Spinner } from '../ui/button.tsx';

interface Props {
  readonly status: AgentStatus;
  /** Calls that wait for this page. */
  readonly waiting: number;
}

/** What the assistant is doing, for eyes and ears. It is always there, so that each change is read out. */
export function WorkStatus({ status, waiting }: Props) {
  const isBusy = status === 'running' || status === 'loading';
  return (
    <div role="status" className="relative text-muted empty:-mt-4">
      {isBusy && (
        <p className="flex items-center gap-2 py-1">
          <Spinner /> {status === 'loading' ? 'Loading the conversation…' : 'The assistant is working…'}
        </p>
      )}
      {!isBusy && waiting > 0 && <p className="sr-only">The assistant waits for your answer.</p>}
    </div>
  );
}
