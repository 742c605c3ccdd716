import { SCOPES, type Scope } from '../../../contract/scopes.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { useMe } from '../session/session.ts';

/** What a key with a scope may do, in people's words. */
const WORDS: Readonly<Record<Scope, string>> = {
  'resources:read': 'Read resources',
  'resources:write': 'Create, change and delete resources',
  'events:read': 'Read and follow the event log',
  'conversations:read': 'Read conversations',
  'conversations:write': 'Start, continue and delete conversations',
  'triggers:read': 'Read triggers',
  'triggers:write': 'Create triggers',
  'workflows:read': 'Read workflows, deployments and usage',
  'workflows:write': 'Change and publish workflows and deployments',
  'webhooks:manage': 'Manage webhook endpoints',
  'integrations:manage': 'Manage integrations',
  'keys:manage': 'Make, rotate and revoke API keys',
};

const RUNNER: readonly Scope[] = ['conversations:read', 'conversations:write'];

/** Choices that are made often. */
const PRESETS: readonly { readonly title: string; readonly has: (scope: Scope) => boolean }[] = [
  { title: 'All', has: () => true },
  { title: 'Read only', has: (scope) => scope.endsWith(':read') },
  { title: 'Runner', has: (scope) => RUNNER.includes(scope) },
  { title: 'None', has: () => false },
];

/** What a scope is of. Those that manage something belong together. */
function groupOf(scope: Scope): string {
  const [of = '', right] = scope.split(':');
  return right === 'manage' ? 'Management' : of.charAt(0).toUpperCase() + of.slice(1);
}

/** Scopes by what they are of, in the contract's order. */
function grouped(scopes: readonly Scope[]): [string, Scope[]][] {
  const groups = new Map<string, Scope[]>();
  for (const scope of scopes) groups.set(groupOf(scope), [...(groups.get(groupOf(scope)) ?? []), scope]);
  return [...groups];
}

interface Props {
  readonly chosen: readonly Scope[];
  readonly error: string | undefined;
  readonly onChange: (scopes: Scope[]) => void;
}

/** What a key may do. Nobody gives away more than they have, so nothing else is offered. */
export function ScopeChoice({ chosen, error, onChange }: Props) {
  const { scopes } = useMe();
  const own = SCOPES.filter((scope) => scopes.includes(scope));
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 text-sm font-medium">Scopes</legend>
      <div className="flex flex-wrap gap-2">
        {PRESETS.map(({ title, has }) => (
          <Button key={title} small onClick={() => onChange(own.filter(has))}>
            {title}
          </Button>
        ))}
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        {grouped(own).map(([title, members]) => (
          <fieldset key={title} className="flex flex-col gap-1.5">
            <legend className="mb-1 text-sm text-muted">{title}</legend>
            {members.map((scope) => (
              <Checkbox
                key={scope}
                label={<span className="font-mono text-sm">{scope}</span>}
                hint={WORDS[scope]}
                checked={chosen.includes(scope)}
                onChange={({ target }) =>
                  onChange(own.filter((one) => (one === scope ? target.checked : chosen.includes(one))))
                }
              />
            ))}
          </fieldset>
        ))}
      </div>
      {error && (
        <p role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </fieldset>
  );
}

/** The scopes of a key, as short as they can be said. */
export function scopesInWords(scopes: readonly Scope[]): string {
  if (scopes.length === SCOPES.length) return 'All';
  return scopes.length === 0 ? 'None' : scopes.join(', ');
}
