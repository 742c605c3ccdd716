import type { HandlingChange } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import { Icon, type IconName } from '../ui/icon.tsx';

type Change = Pick<HandlingChange, 'mode' | 'author'>;

/** Who answers from here on. */
export function HandlingLine(change: Change) {
  return (
    // The page announces it with its own status.
    <p
      aria-live="off"
      className="flex items-center gap-3 text-sm text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line"
    >
      <span className="flex min-w-0 items-center gap-2">
        <Icon name={ICONS[change.mode]} className="size-4" />
        <span className="min-w-0 break-words">{changeText(change)}</span>
      </span>
    </p>
  );
}

const ICONS = { assistant: 'bolt', waiting: 'clock', member: 'user' } as const satisfies Record<
  HandlingChange['mode'],
  IconName
>;

export function changeText({ mode, author }: Change): string {
  const t = texts().handling;
  if (mode === 'waiting') return t.waiting;
  return mode === 'member' ? t.joined(author?.displayName ?? '') : t.assistantBack;
}
