import { texts } from '../texts/current.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Time } from '../ui/time.tsx';
import type { SavedConversation } from './saved-conversations.ts';

export interface ListProps {
  readonly conversations: readonly SavedConversation[];
  readonly openId: string | null;
  readonly onOpen: (id: string) => void;
  /** Removes it from the list of this browser. Undefined for an identified user, whose list the service has. */
  readonly onRemove: ((id: string) => void) | undefined;
  /** Asks for another name. */
  readonly onRename: (conversation: SavedConversation) => void;
  /** Starts a conversation. Undefined if this deployment requires a link. */
  readonly onNew: (() => void) | undefined;
}

/** The conversations of this browser, or of the identified user. */
export function ConversationList({ conversations, openId, onOpen, onRemove, onRename, onNew }: ListProps) {
  const t = texts().page;
  return (
    <div className="flex flex-col gap-3">
      {onNew && (
        <Button onClick={onNew} className="w-full">
          <Icon name="plus" /> {t.newConversation}
        </Button>
      )}
      {conversations.length === 0 && <p className="px-2 text-sm text-muted">{t.emptyList}</p>}
      <ul className="flex flex-col gap-1">
        {conversations.map((conversation) => {
          const { id, title, usedAt } = conversation;
          return (
            <li
              key={id}
              className={`flex items-center rounded-lg pe-1 ${id === openId ? 'bg-accent-soft' : 'hover:bg-sunken'}`}
            >
              <button
                type="button"
                aria-current={id === openId ? 'page' : undefined}
                onClick={() => onOpen(id)}
                className="min-w-0 flex-1 cursor-pointer rounded-lg px-3 py-2 text-start"
              >
                <span className="flex">
                  <bdi className="truncate">{title}</bdi>
                </span>
                <span className="block text-sm text-muted">
                  <Time at={usedAt} />
                </span>
              </button>
              <Button look="quiet" small aria-label={t.renameNamed(title)} onClick={() => onRename(conversation)}>
                <Icon name="edit" className="size-4" />
              </Button>
              {onRemove && (
                <Button look="quiet" small aria-label={t.removeNamed(title)} onClick={() => onRemove(id)}>
                  <Icon name="close" className="size-4" />
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
