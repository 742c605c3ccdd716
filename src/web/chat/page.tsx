import { useEffect, useRef, useState } from 'react';
import { createClient } from '../../sdk/index.ts';
import { useAddress } from '../hosted/address.ts';
import { useEscape } from '../hosted/escape.ts';
import { PageFrame } from '../hosted/page-frame.tsx';
import { useOnline } from '../hosted/requests.ts';
import { type Stop, useStop } from '../hosted/use-stop.ts';
import { Composer } from '../messages/composer.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { ConversationList } from './conversation-list.tsx';
import { savedConversations } from './saved-conversations.ts';
import { Stage, stageOf } from './stage.tsx';
import { ThreadView } from './thread-view.tsx';
import { type UseChat, useChat } from './use-chat.ts';
import { useLink } from './use-link.ts';

export interface ChatData {
  readonly deploymentId: string;
  readonly name: string;
  readonly triggerRequired: boolean;
}

/** The hosted chat page of a deployment. */
export function ChatPage({ deploymentId, name, triggerRequired }: ChatData) {
  const [client] = useState(() => createClient({ baseUrl: location.origin, deploymentId }));
  const [saved] = useState(() => savedConversations(deploymentId));
  const page = useChat(client, saved);
  const { chat, thread, state, open } = page;
  const address = useAddress();
  const link = useLink(client, { address, thread, state });
  const field = useRef<HTMLTextAreaElement>(null);
  const stop = useStop({ status: chat.status, conversationId: chat.id, stop: thread.stop });

  useEscape(() => {
    stop.stop?.();
    return stop.stop !== undefined;
  });
  useFocus(field, address.cid);
  const onNew = triggerRequired ? undefined : () => open(null);
  const onRemove = (id: string) => {
    saved.remove(id);
    if (id === address.cid) open(null);
  };
  const list = { conversations: page.conversations, openId: address.cid, onRemove };
  const stage = stageOf({ link, state, address, triggerRequired });
  return (
    <PageFrame
      name={name}
      leading={
        <Drawer>
          {(close) => (
            <ConversationList
              {...list}
              onOpen={(id) => {
                close();
                open(id);
              }}
              onNew={
                onNew &&
                (() => {
                  close();
                  onNew();
                })
              }
            />
          )}
        </Drawer>
      }
      aside={
        <nav
          aria-label="Conversations"
          className="hidden w-72 shrink-0 overflow-y-auto border-r border-line bg-surface p-3 md:block"
        >
          <ConversationList {...list} onOpen={open} onNew={onNew} />
        </nav>
      }
    >
      <Stage stage={stage} error={typeof link === 'string' ? state.opening : link} onNew={onNew}>
        <ThreadView {...{ chat, state, thread, stop }} greeting={`Write the first message to ${name}.`} />
        {stage !== 'starting' && <Foot {...{ page, field, onNew, stop }} />}
      </Stage>
    </PageFrame>
  );
}

interface FootProps {
  readonly page: Pick<UseChat, 'chat' | 'thread' | 'state'>;
  readonly field: React.RefObject<HTMLTextAreaElement | null>;
  readonly onNew: (() => void) | undefined;
  readonly stop: Stop;
}

/** The composer, or a notice if the conversation has ended. */
function Foot({ page: { chat, thread, state }, field, onNew, stop }: FootProps) {
  const isOnline = useOnline();
  const isBusy = chat.status === 'running' || state.outgoing?.phase === 'stopping';
  return (
    <div className="mx-auto w-full max-w-3xl px-4 pb-4">
      {!isOnline && (
        <p role="status" className="px-2 pb-2 text-sm text-warn">
          You are offline. Your text stays here until you reconnect.
        </p>
      )}
      {state.ended || chat.conversationStatus === 'completed' ? (
        <div className="flex flex-wrap items-center justify-center gap-3 py-2 text-muted">
          <p>This conversation has ended.</p>
          {onNew && <Button onClick={onNew}>Start a new conversation</Button>}
        </div>
      ) : (
        <Composer
          field={field}
          disabled={isBusy || !isOnline}
          onSend={(content) => thread.send(content)}
          onStop={stop.stop}
          isStopping={stop.isStopping}
        />
      )}
    </div>
  );
}

/** The conversation list in narrow windows. */
function Drawer({ children }: { readonly children: (close: () => void) => React.ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button look="quiet" small aria-label="Conversations" className="md:hidden" onClick={() => setOpen(true)}>
        <Icon name="menu" />
      </Button>
      {isOpen && (
        <Dialog title="Conversations" onClose={close}>
          {children(close)}
        </Dialog>
      )}
    </>
  );
}

/** Focuses the composer, except on touch screens, where a keyboard would open, and in a page without focus. */
function useFocus(field: React.RefObject<HTMLTextAreaElement | null>, conversationId: string | null): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: focuses the composer of each conversation
  useEffect(() => {
    const focus = () => {
      const isFree = document.activeElement === document.body || document.activeElement === null;
      if (isFree && matchMedia('(pointer: fine)').matches) field.current?.focus();
    };
    if (document.hasFocus()) focus();
    addEventListener('focus', focus);
    return () => removeEventListener('focus', focus);
  }, [field, conversationId]);
}
