import { type RefObject, useEffect, useRef } from 'react';
import type { MessageContent } from '../../sdk/index.ts';
import type { UseAgent } from '../../sdk/react/index.ts';
import { canAnswer } from '../calls/waiting-call.tsx';
import type { PagePresence } from '../hosted/use-presence.ts';
import type { Stop } from '../hosted/use-stop.ts';
import { type Beginning, Composer } from '../messages/composer.tsx';
import { texts } from '../texts/current.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';

interface Props {
  readonly agent: UseAgent;
  readonly stop: Stop;
  readonly isBusy: boolean;
  /** Sends a message. While calls are pending, it cancels them first. */
  readonly onSend: (content: MessageContent) => Promise<void>;
  readonly onNew: (() => void) | undefined;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly beginning: Beginning | undefined;
  readonly onType: PagePresence['onType'];
}

/** The composer, or a notice if the conversation has ended. */
export function Foot({ agent, stop, isBusy, onSend, onNew, field, beginning, onType }: Props) {
  const { conversationStatus, pendingToolCalls, status, error } = agent;
  const t = texts().agent;
  const hasEnded = conversationStatus === 'completed';
  const isHidden = hasEnded || error?.status === 401;
  const isPending = pendingToolCalls.length > 0;
  const isFree = !isHidden && !isBusy && status !== 'running' && status !== 'loading';
  // The form of a pending call takes the focus.
  useRestoredFocus(field, isFree && !isPending);
  const isOwn = isPending && pendingToolCalls.every((call) => canAnswer({ call, viewer: 'client' }));
  const onDecline = () => void onSend([{ type: 'text', text: t.declined }]).catch(() => {});
  return (
    <>
      {hasEnded && <Ended onNew={onNew} />}
      {/* Hidden, not removed, so that its text stays. */}
      <div hidden={isHidden} className="mx-auto w-full max-w-3xl shrink-0 px-3 pb-3 sm:px-4 sm:pb-4">
        {isPending && (
          <div className="flex flex-wrap items-center gap-2 px-2 py-2 text-sm text-muted">
            <p className="min-w-0 flex-1 basis-40">{t.skipHint}</p>
            {isOwn && (
              <Button small disabled={!isFree} onClick={onDecline}>
                {t.decline}
              </Button>
            )}
          </div>
        )}
        <Composer
          {...{ onSend, field, beginning, onType }}
          {...(isPending && { label: t.writeOther, placeholder: t.writeOther })}
          disabled={!isFree}
          onStop={stop.stop}
          isStopping={stop.isStopping}
        />
      </div>
    </>
  );
}

function Ended({ onNew }: Pick<Props, 'onNew'>) {
  const t = texts().page;
  return (
    <div className="shrink-0 border-t border-line bg-surface">
      <div className="mx-auto flex w-full max-w-3xl flex-wrap items-center gap-3 px-4 py-3">
        <Icon name="check" className="size-5 text-ok" />
        <p className="min-w-0 flex-1 basis-48">{t.endedReadable}</p>
        {onNew && <Button onClick={onNew}>{t.startNew}</Button>}
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
