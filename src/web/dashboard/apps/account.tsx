import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Fact, Facts } from '../frame/expandable.tsx';
import { roleName } from '../members/role-name.ts';
import { useMe } from '../session/session.ts';

export interface AccountActions {
  readonly onSignOut: () => void;
  readonly onSwitch: (workspaceId: string) => void;
}

/** Whose access the app gets, and in which workspace. */
export function Account({ onSignOut, onSwitch }: AccountActions) {
  const { user, role, workspace, belongsTo } = useMe();
  return (
    <>
      <Facts>
        <Fact name="You">
          {user.name}, {user.email}
        </Fact>
        <Fact name="Workspace">{workspace.name}</Fact>
        <Fact name="Your role">{roleName(role)}</Fact>
      </Facts>
      {belongsTo.length > 1 && (
        <SelectField
          label="Use another workspace"
          hint="You sign in again to switch."
          className="mt-4"
          value={workspace.workspaceId}
          onChange={({ target }) => target.value !== workspace.workspaceId && onSwitch(target.value)}
        >
          {belongsTo.map(({ workspaceId, name }) => (
            <option key={workspaceId} value={workspaceId}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      <Button small className="mt-4" onClick={onSignOut}>
        Use another account
      </Button>
    </>
  );
}
