import { Dialog } from '../../../ui/dialog.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { SINGLE_KEYS } from '../../single-keys.ts';
import { useVisiblePages } from '../navigation.tsx';

const GENERAL: readonly (readonly [string, string])[] = [
  ['Ctrl K or ⌘ K', 'Command palette'],
  ['/', 'Command palette'],
  ['?', 'This list'],
  ['Esc', 'Close a dialog, menu or list'],
];

const IN_INBOX: readonly (readonly [string, string])[] = [
  ['J', 'Next conversation'],
  ['K', 'Previous conversation'],
  ['R', 'Write to the user'],
];

/** Lists the keyboard shortcuts, and turns those of single keys off. */
export function ShortcutHelp({ onClose }: { readonly onClose: () => void }) {
  const [isOn, setOn] = SINGLE_KEYS.use();
  const pages = useVisiblePages()
    .flatMap((group) => group.pages)
    .flatMap(({ key, label }) => (key && label ? [[`G then ${key.toUpperCase()}`, label] as const] : []));
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className="flex flex-col gap-5">
        <Switch
          label="Shortcuts of single keys"
          hint="Off for speech input, which types letters. Ctrl K and ⌘ K always work."
          checked={isOn}
          onChange={setOn}
        />
        <ShortcutList title="Everywhere" rows={GENERAL} />
        <ShortcutList title="In the inbox" rows={IN_INBOX} />
        <ShortcutList title="Go to a page" rows={pages} />
      </div>
    </Dialog>
  );
}

interface ListProps {
  readonly title: string;
  readonly rows: readonly (readonly [string, string])[];
}

function ShortcutList({ title, rows }: ListProps) {
  return (
    <section>
      <h3 className="mb-2 font-semibold">{title}</h3>
      <dl className="grid gap-x-8 gap-y-1.5 sm:grid-cols-2">
        {rows.map(([keys, meaning]) => (
          <div key={keys} className="flex items-center justify-between gap-3">
            <dt className="text-muted">{meaning}</dt>
            <dd>
              <kbd className="rounded-md border border-line bg-sunken px-1.5 py-0.5 text-sm whitespace-nowrap">
                {keys}
              </kbd>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
