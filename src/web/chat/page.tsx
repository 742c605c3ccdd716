import { useEffect, useRef, useState } from 'react';
import { createClient } from '../../sdk/index.ts';
import { ConversationAside, ConversationDrawer } from '../conversations/conversation-panels.tsx';
import { savedConversations } from '../conversations/saved-conversations.ts';
import { useConversationList } from '../conversations/use-conversation-list.tsx';
import { userConversations } from '../conversations/user-conversations.ts';
import { RatingContext } from '../feedback/rating-context.ts';
import { useAddress } from '../hosted/address.ts';
import { type HostedData, nameOf } from '../hosted/branding.ts';
import { EmptyConversation } from '../hosted/empty-conversation.tsx';
import { useEscape } from '../hosted/escape.ts';
import { PageFrame } from '../hosted/page-frame.tsx';
import { useOnline } from '../hosted/requests.ts';
import { usePageFiles } from '../hosted/use-page-files.ts';
import { type PagePresence, usePresence } from '../hosted/use-presence.ts';
import { usePrompts } from '../hosted/use-prompts.ts';
import { type Stop, useStop } from '../hosted/use-stop.ts';
import type { UserSession } from '../hosted/user-session.ts';
import { useWidgetReport } from '../hosted/widget-report.ts';
import { type Beginning, Composer } from '../messages/composer.tsx';
import { FilesContext } from '../messages/page-files.ts';
import { texts } from '../texts/current.ts';
import { Button } from '../ui/button.tsx';
import { Stage, stageOf } from './stage.tsx';
import { ThreadView } from './thread-view.tsx';
import { isMissing, type UseChat, useChat } from './use-chat.ts';
import { useChatBranches } from './use-chat-branches.ts';
import { useLink } from './use-link.ts';

/** The hosted chat page of a deployment. */
export function ChatPage({ data, user }: { readonly data: HostedData; readonly user: UserSession | undefined }) {
  const { deploymentId, triggerRequired, branding } = data;
  const [client] = useState(() => createClient({ baseUrl: location.origin, deploymentId, getToken: user?.getToken }));
  const [saved] = useState(() => (user ? userConversations(client) : savedConversations('chat', deploymentId)));
  const page = useChat(client, saved);
  const { chat, thread, state, open } = page;
  const address = useAddress();
  const link = useLink(client, { address, thread, state });
  const field = useRef<HTMLTextAreaElement>(null);
  const prompts = usePrompts(field, thread.send);
  const stop = useStop({ status: chat.status, conversationId: chat.id, stop: thread.stop });
  const isOnline = useOnline();
  const replacing = useChatBranches(page, { saved, field, isOnline });

  useEscape(() => {
    stop.stop?.();
    return stop.stop !== undefined;
  });
  useFocus(field, address.cid);
  const replies = chat.messages.filter(({ role }) => role === 'assistant').map(({ id }) => id);
  const { opening } = state;
  useWidgetReport(typeof opening !== 'string' && isMissing(opening) ? null : address.cid, replies);
  const onNew = triggerRequired ? undefined : () => open(null);
  const { list, dialog } = useConversationList({ client, saved, onOpen: open, onNew });
  const stage = stageOf({ link, state, address, triggerRequired });
  const name = nameOf(data);
  const files = usePageFiles(client, chat.id, data.maxFileBytes);
  const { typist, onType } = usePresence({ deploymentId, user, conversationId: chat.id, handling: chat.handling });
  return (
    <PageFrame
      name={name}
      logoUrl={branding.logoUrl}
      leading={<ConversationDrawer {...list} />}
      aside={<ConversationAside {...list} />}
    >
      <FilesContext value={files}>
        <Stage stage={stage} error={typeof link === 'string' ? state.opening : link} onNew={onNew}>
          <RatingContext value={page.rate}>
            <ThreadView
              {...{ chat, state, thread, stop, typist }}
              replacing={data.allowEditing ? replacing : undefined}
            >
              <EmptyConversation
                branding={branding}
                onPrompt={isOnline && chat.status !== 'running' ? prompts.choose : undefined}
              >
                <p className="max-w-prose text-2xl font-semibold text-balance whitespace-pre-wrap">
                  {branding.greeting ?? texts().chat.greeting(name)}
                </p>
              </EmptyConversation>
            </ThreadView>
          </RatingContext>
          {stage !== 'starting' && (
            <Foot {...{ page, field, onNew, stop, isOnline, onType }} beginning={prompts.beginning} />
          )}
        </Stage>
      </FilesContext>
      {dialog}
    </PageFrame>
  );
}

interface FootProps {
  readonly page: Pick<UseChat, 'chat' | 'thread' | 'state'>;
  readonly field: React.RefObject<HTMLTextAreaElement | null>;
  /** Replaces the text of the field. */
  readonly beginning: Beginning | undefined;
  readonly onNew: (() => void) | undefined;
  readonly stop: Stop;
  readonly isOnline: boolean;
  readonly onType: PagePresence['onType'];
}

/** The composer, or a notice if the conversation has ended. */
function Foot({ page: { chat, thread, state }, field, beginning, onNew, stop, isOnline, onType }: FootProps) {
  const t = texts();
  const isBusy = chat.status === 'running' || state.outgoing?.phase === 'stopping';
  return (
    <div className="mx-auto w-full max-w-3xl px-4 pb-4">
      {!isOnline && (
        <p role="status" className="px-2 pb-2 text-sm text-warn">
          {t.network.offlineDraft}
        </p>
      )}
      {state.ended || chat.conversationStatus === 'completed' ? (
        <div className="flex flex-wrap items-center justify-center gap-3 py-2 text-muted">
          <p>{t.page.ended}</p>
          {onNew && <Button onClick={onNew}>{t.page.startNew}</Button>}
        </div>
      ) : (
        <Composer
          {...{ field, beginning, onType }}
          disabled={isBusy || !isOnline}
          onSend={(content) => thread.send(content)}
          onStop={stop.stop}
          isStopping={stop.isStopping}
        />
      )}
    </div>
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
