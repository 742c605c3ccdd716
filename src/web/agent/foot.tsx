import { type RefObject, useEffect, useRef } from 'react';
import type { MessageContent } from '../../sdk/index.ts';
import type { UseAgent } from '../../sdk/react/index.ts';
import type { Stop } from '../hosted/use-stop.ts';
import { Composer } from '../messages/composer.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';

interface Props {
  readonly agent: UseAgent;
  readonly stop: Stop;
  readonly isBusy: boolean;
  readonly onSend: (content: MessageContent) => Promise<void>;
  readonly onNew: (() => void) | undefined;
}

/** The composer, or a notice if the conversation has ended. */
export function Foot({ agent, stop, isBusy, onSend, onNew }: Props) {
  const { conversationStatus, pendingToolCalls, status, error } = agent;
  const field = useRef<HTMLTextAreaElement>(null);
  const hasEnded = conversationStatus === 'completed';
  const isHidden = hasEnded || pendingToolCalls.length > 0 || error?.status === 401;
  const isFree = !isHidden && !isBusy && status !== 'running' && status !== 'loading';
  useRestoredFocus(field, isFree);
  return (
    <>
      {hasEnded && <Ended onNew={onNew} />}
      {/* Hidden, not removed, so that its text stays. */}
      <div hidden={isHidden} className="mx-auto w-full max-w-3xl shrink-0 px-3 pb-3 sm:px-4 sm:pb-4">
        <Composer {...{ onSend, field }} disabled={!isFree} onStop={stop.stop} isStopping={stop.isStopping} />
      </div>
    </>
  );
}

function Ended({ onNew }: Pick<Props, 'onNew'>) {
  return (
    <div className="shrink-0 border-t border-line bg-surface">
      <div className="mx-auto flex w-full max-w-3xl flex-wrap items-center gap-3 px-4 py-3">
        <Icon name="check" className="size-5 text-ok" />
        <p className="min-w-0 flex-1 basis-48">This conversation has ended. You can still read it.</p>
        {onNew && <Button onClick={onNew}>Start a new conversation</Button>}
      </div>
    </div>
  );
}

/** Focuses the composer when it is enabled again, if the focused element has disappeared. */
function useRestoredFocus(field: RefObject<HTMLElement | null>, isFree: boolean): void {
  const wasFree = useRef(true);
  useEffect(() => {
    const isEnabledAgain = isFree && !wasFree.current;
    wasFree.current = isFree;
    const isLost = document.activeElement === document.body || document.activeElement === null;
    // On touch screens the keyboard would cover the reply.
    if (isEnabledAgain && isLost && matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, [field, isFree]);
}
