import { useState, useSyncExternalStore } from 'react';
import { texts } from '../texts/current.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { ConversationList, type ListProps } from './conversation-list.tsx';

/** The width at which Tailwind's classes for `md` apply. */
const WIDE = matchMedia('(width >= 48rem)');

function subscribe(listener: () => void): () => void {
  WIDE.addEventListener('change', listener);
  return () => WIDE.removeEventListener('change', listener);
}

/** The conversation list next to the conversation, in wide windows. */
export function ConversationAside(props: ListProps) {
  const isWide = useSyncExternalStore(subscribe, () => WIDE.matches);
  if (!isWide) return null;
  return (
    <nav
      aria-label={texts().page.conversations}
      className="w-72 shrink-0 overflow-y-auto border-e border-line bg-surface p-3 max-md:hidden"
    >
      <ConversationList {...props} />
    </nav>
  );
}

/** The conversation list in narrow windows: a button that opens it. */
export function ConversationDrawer({ onOpen, onNew, ...props }: ListProps) {
  const { conversations: label } = texts().page;
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const onNewClick = () => {
    close();
    onNew?.();
  };
  const onOpenClick = (id: string) => {
    close();
    onOpen(id);
  };
  return (
    <>
      <Button look="quiet" small aria-label={label} className="md:hidden" onClick={() => setOpen(true)}>
        <Icon name="menu" />
      </Button>
      {isOpen && (
        <Dialog title={label} onClose={close}>
          <ConversationList {...props} onOpen={onOpenClick} onNew={onNew && onNewClick} />
        </Dialog>
      )}
    </>
  );
}
