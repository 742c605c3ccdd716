import { type ReactNode, useState, useSyncExternalStore } from 'react';
import type { ParleyClient } from '../../sdk/index.ts';
import { useAddress } from '../hosted/address.ts';
import { isIdentified } from '../hosted/host-token.ts';
import type { ListProps } from './conversation-list.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import type { SavedConversation, SavedConversations } from './saved-conversations.ts';

interface Options {
  readonly client: ParleyClient;
  readonly saved: SavedConversations;
  /** Shows a conversation, or with null a new one. */
  readonly onOpen: (conversationId: string | null) => void;
  /** Starts a conversation. Undefined if this deployment requires a link. */
  readonly onNew: (() => void) | undefined;
}

interface List {
  readonly list: ListProps;
  /** The open dialog of the list. It outlives the list, which a narrower window hides. */
  readonly dialog: ReactNode;
}

/** The conversations of this browser, and what the user can do with them. */
export function useConversationList({ client, saved, onOpen, onNew }: Options): List {
  const conversations = useSyncExternalStore(saved.subscribe, saved.get);
  const { cid } = useAddress();
  const [renamed, setRenamed] = useState<SavedConversation>();
  const onRemove = (id: string) => {
    saved.remove(id);
    if (id === cid) onOpen(null);
  };
  const rename = async (id: string, title: string) => {
    await client.conversation.rename(id, title);
    saved.rename(id, title);
  };
  return {
    list: {
      conversations,
      openId: cid,
      onOpen,
      onNew,
      onRemove: isIdentified ? undefined : onRemove,
      onRename: setRenamed,
    },
    dialog: renamed && (
      <RenameDialog
        title={renamed.title}
        onRename={(title) => rename(renamed.id, title)}
        onClose={() => setRenamed(undefined)}
      />
    ),
  };
}
