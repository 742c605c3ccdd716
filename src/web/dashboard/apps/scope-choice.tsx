import { type Control, useController } from 'react-hook-form';
import { enumValueIn } from '../../../contract/enum-names.ts';
import { SCOPES, type Scope } from '../../../contract/scopes.ts';
import { Checkbox } from '../../ui/field.tsx';
import { SCOPE_DESCRIPTIONS } from '../keys/scope-descriptions.ts';
import type { AccessValues, ConnectionRequest } from './connection-request.ts';

interface Props {
  readonly control: Control<AccessValues>;
  readonly requested: ConnectionRequest['scopes'];
}

const GROUPS = [
  { title: 'Read', includes: (scope: string) => scope.endsWith(':read') },
  { title: 'Change', includes: (scope: string) => !scope.endsWith(':read') },
];

/** The permissions that the app asks for. The member can clear each of them. */
export function ScopeChoice({ control, requested }: Props) {
  const { field, fieldState } = useController({ control, name: 'scopes' });
  const scopes = requested.map(({ scope, canAllow }) => ({ name: scope, scope: enumValueIn(SCOPES, scope), canAllow }));
  const groups = GROUPS.map(({ title, includes }) => ({
    title,
    scopes: scopes.filter(({ scope }) => includes(scope)),
  }));
  return (
    <div className="flex flex-col gap-4">
      {groups
        .filter((group) => group.scopes.length > 0)
        .map((group) => (
          <fieldset key={group.title} className="flex flex-col gap-1.5">
            <legend className="mb-1 text-sm text-muted">{group.title}</legend>
            {group.scopes.map(({ name, scope, canAllow }) => (
              <Checkbox
                key={name}
                label={SCOPE_DESCRIPTIONS[scope]}
                hint={hintOf(scope, canAllow)}
                checked={field.value.includes(name)}
                disabled={!canAllow}
                onChange={({ target }) =>
                  field.onChange(
                    scopes
                      .map((one) => one.name)
                      .filter((one) => (one === name ? target.checked : field.value.includes(one))),
                  )
                }
              />
            ))}
          </fieldset>
        ))}
      {fieldState.error && (
        <p role="alert" className="text-sm text-danger">
          {fieldState.error.message}
        </p>
      )}
    </div>
  );
}

/** The scopes with which an app creates credentials that outlive its own access. */
const LASTING: readonly Scope[] = ['keys:manage', 'end_users:manage'];

function hintOf(scope: Scope, canAllow: boolean): string {
  if (!canAllow) return `${scope}. Your role does not have this permission.`;
  return LASTING.includes(scope) ? `${scope}. What the app creates stays valid after you disconnect it.` : scope;
}
