import { SelectField } from '../../ui/field.tsx';
import { ErrorNotice } from '../frame/loaded.tsx';
import { useServiceMutation, useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { ASSIGN_CONVERSATION, ASSIGNABLE_MEMBERS } from './documents.ts';

interface Props {
  /** The ID of the conversation. */
  readonly id: string;
  readonly assignee: Member | null;
}

interface Member {
  readonly memberId: string;
  readonly displayName: string;
  readonly isMe: boolean;
}

const NOBODY: readonly Member[] = [];

/** The member who should answer in a conversation. */
export function AssigneeField({ id, assignee }: Props) {
  const canHandle = usePermission('conversations:handle');
  const members = useServiceQuery(ASSIGNABLE_MEMBERS, {}, { pause: !canHandle }).data?.assignableMembers ?? NOBODY;
  const { mutate, busy, error } = useServiceMutation(ASSIGN_CONVERSATION);
  if (!canHandle) return null;
  // The list may still load.
  const known = members.some(({ memberId }) => memberId === assignee?.memberId) || !assignee ? [] : [assignee];
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        label="Assigned to"
        value={assignee?.memberId ?? ''}
        disabled={busy}
        onChange={({ target }) => mutate({ input: { conversationId: id, memberId: target.value || null } })}
      >
        <option value="">Nobody</option>
        {[...known, ...members].map(({ memberId, displayName, isMe }) => (
          <option key={memberId} value={memberId}>
            {isMe ? `${displayName} (you)` : displayName}
          </option>
        ))}
      </SelectField>
      <ErrorNotice error={error} />
    </div>
  );
}
