import { type Control, type FieldPath, type FieldValues, useController } from 'react-hook-form';
import { type EnumName, enumNameOf, enumValueIn } from '../../../contract/enum-names.ts';
import { SCOPES, type Scope } from '../../../contract/scopes.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { useMe } from '../session/session.ts';
import { SCOPE_DESCRIPTIONS } from './scope-descriptions.ts';

const RUNNER: readonly Scope[] = ['conversations:read', 'conversations:write'];

/** Common selections. */
const PRESETS: readonly { readonly title: string; readonly includes: (scope: Scope) => boolean }[] = [
  { title: 'All', includes: () => true },
  { title: 'Read only', includes: (scope) => scope.endsWith(':read') },
  { title: 'Runner', includes: (scope) => RUNNER.includes(scope) },
  { title: 'Clear', includes: () => false },
];

/** Scopes of the same subject form a group. All `manage` scopes form one group. */
function groupOf(scope: Scope): string {
  const [subject = '', right] = scope.split(':');
  return right === 'manage' ? 'Management' : subject.charAt(0).toUpperCase() + subject.slice(1);
}

function groupScopes(scopes: readonly Scope[]): [string, Scope[]][] {
  const groups = new Map<string, Scope[]>();
  for (const scope of scopes) groups.set(groupOf(scope), [...(groups.get(groupOf(scope)) ?? []), scope]);
  return [...groups];
}

interface Props<Values extends FieldValues, Output> {
  readonly control: Control<Values, unknown, Output>;
  readonly name: FieldPath<Values>;
}

/** The scopes of a key. Only the user's own scopes are offered, because the service rejects the others. */
export function ScopeFields<Values extends FieldValues, Output>({ control, name }: Props<Values, Output>) {
  const { scopes } = useMe();
  const { field, fieldState } = useController({ control, name });
  const selected: readonly Scope[] = field.value;
  const own = SCOPES.filter((scope) => scopes.includes(enumNameOf(scope)));
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 text-sm font-medium">Scopes</legend>
      <div className="flex flex-wrap gap-2">
        {PRESETS.map(({ title, includes }) => (
          <Button key={title} small onClick={() => field.onChange(own.filter(includes))}>
            {title}
          </Button>
        ))}
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        {groupScopes(own).map(([title, members]) => (
          <fieldset key={title} className="flex flex-col gap-1.5">
            <legend className="mb-1 text-sm text-muted">{title}</legend>
            {members.map((scope) => (
              <Checkbox
                key={scope}
                label={<span className="font-mono text-sm">{scope}</span>}
                hint={SCOPE_DESCRIPTIONS[scope]}
                checked={selected.includes(scope)}
                onChange={({ target }) =>
                  field.onChange(own.filter((one) => (one === scope ? target.checked : selected.includes(one))))
                }
              />
            ))}
          </fieldset>
        ))}
      </div>
      {fieldState.error && (
        <p role="alert" className="text-sm text-danger">
          {fieldState.error.message}
        </p>
      )}
    </fieldset>
  );
}

/** The scopes of a key in one line. */
export function formatScopes(scopes: readonly EnumName<Scope>[]): string {
  if (scopes.length === SCOPES.length) return 'All';
  return scopes.length === 0 ? 'No scopes' : scopes.map((name) => enumValueIn(SCOPES, name)).join(', ');
}
