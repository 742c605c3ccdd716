import type { ResultOf } from 'gql.tada';
import { Icon } from '../../ui/icon.tsx';
import type { PRESENCE } from './documents.ts';

type Person = ResultOf<typeof PRESENCE>['presenceChanged']['people'][number];

/** Who else has the conversation open, and who types. */
export function PresentPeople({ others }: { readonly others: readonly Person[] }) {
  const team = others.filter(({ kind }) => kind !== 'USER');
  const typing = others.filter(({ isTyping }) => isTyping).map(({ displayName }) => displayName ?? 'The user');
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-muted empty:hidden">
      {team.length > 0 && (
        <p className="flex items-center gap-2">
          <Icon name="users" className="size-4" />
          <span>Also here: {team.map(({ displayName }) => displayName).join(', ')}</span>
        </p>
      )}
      {typing.length > 0 && (
        <p>
          {typing.join(', ')} {typing.length > 1 ? 'are' : 'is'} typing…
        </p>
      )}
    </div>
  );
}
