import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { useGo } from '../location.ts';
import { useMe } from '../session/session.ts';
import { useTheme } from '../theme.ts';

interface Props {
  readonly onSignOut: () => void;
  readonly onSwitch: (workspaceId: string) => void;
  readonly onHelp: () => void;
}

/** The workspace and the signed-in user, with a menu to change both. */
export function AccountMenu({ onSignOut, onSwitch, onHelp }: Props) {
  const { user, workspace, belongsTo } = useMe();
  const go = useGo();
  const workspaces = belongsTo.map(({ workspaceId, name }) => ({
    label: name,
    value: workspaceId,
    checked: workspaceId === workspace.workspaceId,
    onSelect: () => workspaceId !== workspace.workspaceId && onSwitch(workspaceId),
  }));
  const { theme, options, choose } = useTheme();
  const themes = options.map(({ value, label }) => ({
    label,
    value,
    checked: value === theme,
    onSelect: () => choose(value),
  }));
  return (
    <Menu
      className="flex min-h-9 min-w-0 cursor-pointer items-center gap-2 rounded-lg px-1.5 transition-colors hover:bg-sunken"
      trigger={
        <>
          <span
            aria-hidden="true"
            className="flex size-7 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent"
          >
            {initialsOf(user.name)}
          </span>
          <span className="max-w-40 truncate text-sm font-medium max-md:sr-only">
            <span className="sr-only">Account in </span>
            {workspace.name}
          </span>
          <Icon name="updown" className="hidden size-4 text-muted md:block" />
        </>
      }
      heading={
        <>
          <p className="truncate font-medium">{user.name}</p>
          <p className="truncate text-sm text-muted">{user.email}</p>
        </>
      }
      groups={[
        ...(workspaces.length > 1 ? [{ title: 'Workspace', items: workspaces }] : []),
        {
          items: [
            { label: 'Your account', icon: 'user', onSelect: () => go('/account') },
            { label: 'Keyboard shortcuts', icon: 'keyboard', note: '?', onSelect: onHelp },
          ],
        },
        { title: 'Theme', items: themes },
        { items: [{ label: 'Sign out', icon: 'leave', onSelect: onSignOut }] },
      ]}
    />
  );
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '');
  return letters.join('').toUpperCase();
}
