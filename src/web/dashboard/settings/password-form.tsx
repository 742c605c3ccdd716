import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { faultAt } from '../fault.ts';
import { useChange } from '../requests.ts';
import { OtherFault } from '../shell/other-fault.tsx';
import { CHANGE_PASSWORD } from './documents.ts';

const EMPTY = { currentPassword: '', newPassword: '', again: '' };

/** Gives whoever is signed in another password. */
export function PasswordForm() {
  const [draft, setDraft] = useState(EMPTY);
  const [isOther, setOther] = useState(false);
  const [isChanged, setChanged] = useState(false);
  const { make, busy, fault } = useChange(CHANGE_PASSWORD);
  const { currentPassword, newPassword, again } = draft;
  const change = (part: Partial<typeof EMPTY>) => {
    setDraft({ ...draft, ...part });
    setChanged(false);
    setOther(false);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setOther(newPassword !== again);
    if (newPassword !== again || !(await make({ input: { currentPassword, newPassword } }))) return;
    setDraft(EMPTY);
    setChanged(true);
  };
  return (
    <form onSubmit={submit} className="flex max-w-md flex-col gap-4">
      <TextField
        label="Current password"
        type="password"
        autoComplete="current-password"
        required
        value={currentPassword}
        error={faultAt(fault, 'currentPassword')}
        onChange={({ target }) => change({ currentPassword: target.value })}
      />
      <TextField
        label="New password"
        type="password"
        hint="12 to 256 characters."
        autoComplete="new-password"
        required
        value={newPassword}
        error={faultAt(fault, 'newPassword')}
        onChange={({ target }) => change({ newPassword: target.value })}
      />
      <TextField
        label="New password again"
        type="password"
        autoComplete="new-password"
        required
        value={again}
        error={isOther ? 'This is not the same.' : undefined}
        onChange={({ target }) => change({ again: target.value })}
      />
      <p className="text-sm text-muted">All your other sessions end, in every workspace. This one stays.</p>
      <OtherFault fault={fault} shownAt={['currentPassword', 'newPassword']} />
      {isChanged && <Notice tone="ok">Your password is changed, and your other sessions have ended.</Notice>}
      <div>
        <Button type="submit" look="primary" busy={busy}>
          Change password
        </Button>
      </div>
    </form>
  );
}
