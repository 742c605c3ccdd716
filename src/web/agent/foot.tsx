import { type RefObject, useEffect, useRef } from 'react';
import type { MessageContent } from '../../sdk/index.ts';
import type { UseAgent } from '../../sdk/react/index.ts';
import { Composer } from '../messages/composer.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';

interface Props {
  readonly agent: UseAgent;
  readonly isBusy: boolean;
  readonly onSend: (content: MessageContent) => Promise<void>;
  readonly onNew: (() => void) | undefined;
}

/** Where the user writes, or what they are told where nothing can be written any more. */
export function Foot({ agent, isBusy, onSend, onNew }: Props) {
  const { conversationStatus, pendingToolCalls, status, error } = agent;
  const field = useRef<HTMLTextAreaElement>(null);
  const isOver = conversationStatus === 'completed';
  const isHidden = isOver || pendingToolCalls.length > 0 || error?.status === 401;
  const isFree = !isHidden && !isBusy && status !== 'running' && status !== 'loading';
  useFocusBack(field, isFree);
  return (
    <>
      {isOver && <Ended onNew={onNew} />}
      {/* What is written stays while it is hidden. */}
      <div hidden={isHidden} className="mx-auto w-full max-w-3xl shrink-0 px-3 pb-3 sm:px-4 sm:pb-4">
        <Composer onSend={onSend} disabled={!isFree} field={field} />
      </div>
    </>
  );
}

function Ended({ onNew }: Pick<Props, 'onNew'>) {
  return (
    <div className="shrink-0 border-t border-line bg-surface">
      <div className="mx-auto flex w-full max-w-3xl flex-wrap items-center gap-3 px-4 py-3">
        <Icon name="check" className="size-5 text-ok" />
        <p className="min-w-0 flex-1 basis-48">
          This conversation has ended. It can be read, and nothing can be added.
        </p>
        {onNew && <Button onClick={onNew}>Start a new conversation</Button>}
      </div>
    </div>
  );
}

/** Gives the focus to the composer once something is over, where what had it is gone. */
function useFocusBack(field: RefObject<HTMLElement | null>, isFree: boolean): void {
  const wasFree = useRef(true);
  useEffect(() => {
    const isBack = isFree && !wasFree.current;
    wasFree.current = isFree;
    const isLost = document.activeElement === document.body || document.activeElement === null;
    // A keyboard on the screen would cover what has come.
    if (isBack && isLost && matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, [field, isFree]);
}
