import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useMemo, useRef, useState } from 'react';
import { Icon } from '../../../ui/icon.tsx';
import { MAIN_ID } from '../../../ui/skip-link.tsx';
import { useGo } from '../../location.ts';
import { type Command, type CommandGroup, FOUND } from './commands.ts';
import { useCommands } from './use-commands.ts';

export interface PaletteProps {
  readonly onClose: () => void;
  readonly onHelp: () => void;
  readonly onSignOut: () => void;
}

const POPUP =
  'fixed inset-x-0 top-[max(1rem,12dvh)] z-50 mx-auto flex max-h-[min(32rem,calc(100dvh-2rem))] w-[min(40rem,calc(100vw-2rem))] flex-col overflow-hidden rounded-xl border border-line bg-raised text-ink shadow-xl outline-hidden';

/** Goes to any page, record or ID, and starts actions. */
export function Palette({ onClose, ...actions }: PaletteProps) {
  const [text, setText] = useState('');
  const goesAway = useRef(false);
  const go = useGo();
  const { groups, isSearching } = useCommands(text, actions);
  const shown = useMemo(() => matching(groups, text), [groups, text]);
  const start = ({ to, query, run }: Command) => {
    goesAway.current = to !== undefined;
    onClose();
    if (to) go(to, query);
    run?.();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-50 bg-scrim" />
        <Dialog.Popup
          aria-label="Command palette"
          // After a navigation the focus belongs to the new page, not to the element that had it before.
          finalFocus={() => (goesAway.current ? document.getElementById(MAIN_ID) : true)}
          className={POPUP}
        >
          <Autocomplete.Root
            open
            inline
            items={shown}
            value={text}
            onValueChange={setText}
            itemToStringValue={(item: Command) => item.label}
            filter={null}
            autoHighlight="always"
            keepHighlight
          >
            <div className="flex items-center gap-3 border-b border-line px-4">
              <Icon name="search" className="size-5 text-muted" />
              <Autocomplete.Input
                aria-label="Search pages, actions and IDs"
                placeholder="Search pages, actions and names, or paste an ID"
                className="h-13 min-w-0 flex-1 bg-transparent outline-hidden placeholder:text-muted"
              />
              <Dialog.Close className="cursor-pointer rounded-md border border-line px-1.5 text-xs text-muted hover:bg-sunken">
                Esc<span className="sr-only"> – close</span>
              </Dialog.Close>
            </div>
            <Autocomplete.Empty>
              <p className="p-4 text-muted empty:hidden">
                {isSearching ? 'Looking for this ID…' : 'No page, action or record matches.'}
              </p>
            </Autocomplete.Empty>
            <Autocomplete.List className="overflow-y-auto overscroll-contain p-2 empty:p-0">
              {(group: CommandGroup) => (
                <Autocomplete.Group key={group.value} items={[...group.items]}>
                  <Autocomplete.GroupLabel className="px-2.5 pt-2 pb-1 text-xs font-semibold text-muted">
                    {group.value}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(item: Command) => <Line key={item.id} item={item} onStart={start} />}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Line({ item, onStart }: { readonly item: Command; readonly onStart: (item: Command) => void }) {
  return (
    <Autocomplete.Item value={item} onClick={() => onStart(item)} className="popup-item">
      <Icon name={item.icon} className="size-4 text-muted" />
      <span className="min-w-0 flex-1 truncate">{item.label}</span>
      {item.note && <span className="shrink-0 text-sm text-muted">{item.note}</span>}
    </Autocomplete.Item>
  );
}

/** Every word of the text must occur in the label or the note. Found IDs always match. */
function matching(groups: readonly CommandGroup[], text: string): CommandGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ label, note = '' }: Command) => {
    const where = `${label} ${note}`.toLowerCase();
    return words.every((word) => where.includes(word));
  };
  return groups
    .map(({ value, items }) => ({ value, items: value === FOUND ? items : items.filter(matches) }))
    .filter(({ items }) => items.length > 0);
}
