import { useEffect, useRef, useState } from 'react';
import { createClient } from '../../sdk/index.ts';
import { useAddress } from '../hosted/address.ts';
import { useEscape } from '../hosted/escape.ts';
import { useOnline } from '../hosted/online.ts';
import { PageFrame } from '../hosted/page-frame.tsx';
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

/** Ordinary chat with one deployment. */
export function ChatPage({ deploymentId, name, triggerRequired }: ChatData) {
  const [client] = useState(() => createClient({ baseUrl: location.origin, deploymentId }));
  const [saved] = useState(() => savedConversations(deploymentId));
  const page = useChat(client, saved);
  const { chat, thread, state, open } = page;
  const address = useAddress();
  const link = useLink(client, { address, thread, state });
  const field = useRef<HTMLTextAreaElement>(null);
  const isSending = state.outgoing?.phase === 'sending';

  useEscape(() => {
    if (isSending) thread.stop();
    return isSending;
  });
  useFocus(field, address.cid);
  const begin = triggerRequired ? undefined : () => open(null);
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
                begin &&
                (() => {
                  close();
                  begin();
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
          <ConversationList {...list} onOpen={open} onNew={begin} />
        </nav>
      }
    >
      <Stage stage={stage} error={typeof link === 'string' ? state.opening : link} onNew={begin}>
        <ThreadView {...{ chat, state, thread }} greeting={`Write the first message to ${name}.`} />
        {stage !== 'starting' && <Foot {...{ page, field, begin, isSending }} />}
      </Stage>
    </PageFrame>
  );
}

interface FootProps {
  readonly page: Pick<UseChat, 'thread' | 'state'>;
  readonly field: React.RefObject<HTMLTextAreaElement | null>;
  readonly begin: (() => void) | undefined;
  readonly isSending: boolean;
}

/** Where the user writes, as long as anything can be said. */
function Foot({ page: { thread, state }, field, begin, isSending }: FootProps) {
  const isOnline = useOnline();
  return (
    <div className="mx-auto w-full max-w-3xl px-4 pb-4">
      {!isOnline && (
        <p role="status" className="px-2 pb-2 text-sm text-warn">
          You are offline. What you write stays here until you are back.
        </p>
      )}
      {state.ended ? (
        <div className="flex flex-wrap items-center justify-center gap-3 py-2 text-muted">
          <p>This conversation has ended.</p>
          {begin && <Button onClick={begin}>Start a new one</Button>}
        </div>
      ) : (
        <Composer
          field={field}
          disabled={isSending || state.outgoing?.phase === 'stopping' || !isOnline}
          onSend={(content) => thread.send(content)}
          onStop={isSending ? thread.stop : undefined}
        />
      )}
    </div>
  );
}

/** The list on narrow windows. */
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

/** Puts the focus where one writes, where that opens no keyboard over the page, and takes it from no other site. */
function useFocus(field: React.RefObject<HTMLTextAreaElement | null>, conversationId: string | null): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation is begun by writing too
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
