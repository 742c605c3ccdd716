import { Button } from '../../ui/button.tsx';
import { useMe } from '../session/session.ts';

interface Props {
  readonly onSignOut: () => void;
  readonly onSwitch: (workspaceId: string) => void;
}

/** The workspace, the signed-in user and the sign-out button. */
export function AccountMenu({ onSignOut, onSwitch }: Props) {
  const { user, workspace, belongsTo } = useMe();
  const others = belongsTo.filter(({ workspaceId }) => workspaceId !== workspace.workspaceId);
  return (
    <div className="flex min-w-0 items-center gap-3 text-sm">
      {others.length > 0 ? (
        <label className="min-w-0">
          <span className="sr-only">Workspace</span>
          <select
            value={workspace.workspaceId}
            onChange={(event) => onSwitch(event.target.value)}
            className="max-w-40 truncate rounded-lg border border-line bg-surface px-2 py-1.5"
          >
            {belongsTo.map(({ workspaceId, name }) => (
              <option key={workspaceId} value={workspaceId}>
                {name}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <span className="truncate font-medium">{workspace.name}</span>
      )}
      <span className="hidden truncate text-muted md:inline">{user.email}</span>
      <Button small look="quiet" onClick={onSignOut}>
        Sign out
      </Button>
    </div>
  );
}
