import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Time } from '../ui/time.tsx';
import type { SavedConversation } from './saved-conversations.ts';

interface Props {
  readonly conversations: readonly SavedConversation[];
  readonly openId: string | null;
  readonly onOpen: (id: string) => void;
  readonly onRemove: (id: string) => void;
  /** Starts a conversation. Undefined if this deployment requires a link. */
  readonly onNew: (() => void) | undefined;
}

/** The conversations stored in this browser. */
export function ConversationList({ conversations, openId, onOpen, onRemove, onNew }: Props) {
  return (
    <div className="flex flex-col gap-3">
      {onNew && (
        <Button onClick={onNew} className="w-full">
          <Icon name="plus" /> New conversation
        </Button>
      )}
      {conversations.length === 0 && <p className="px-2 text-sm text-muted">Your conversations appear here.</p>}
      <ul className="flex flex-col gap-1">
        {conversations.map(({ id, title, usedAt }) => (
          <li
            key={id}
            className={`flex items-center gap-1 rounded-lg pr-1 ${id === openId ? 'bg-accent-soft' : 'hover:bg-sunken'}`}
          >
            <button
              type="button"
              aria-current={id === openId ? 'page' : undefined}
              onClick={() => onOpen(id)}
              className="min-w-0 flex-1 cursor-pointer rounded-lg px-3 py-2 text-left"
            >
              <span className="block truncate">{title}</span>
              <span className="block text-sm text-muted">
                <Time at={usedAt} />
              </span>
            </button>
            <Button look="quiet" small aria-label={`Remove ${title} from this list`} onClick={() => onRemove(id)}>
              <Icon name="close" className="size-4" />
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
