import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { type Role, rolesGivenBy } from '../../../contract/roles.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { type Fault, faultAt } from '../fault.ts';
import { useChange } from '../requests.ts';
import { useMe } from '../session/session.ts';
import { FormDialog } from '../shell/form-dialog.tsx';
import {
  type INVITATIONS,
  INVITE_MEMBER,
  type MEMBERS,
  REMOVE_MEMBER,
  REVOKE_INVITATION,
  UPDATE_MEMBER,
} from './documents.ts';

export type Member = ResultOf<typeof MEMBERS>['members']['nodes'][number];
export type Invitation = ResultOf<typeof INVITATIONS>['invitations']['nodes'][number];

/** An invitation's link, which is shown this once. */
export interface ShownLink {
  readonly email: string;
  readonly url: string;
}

/** What a role may do, in a sentence. */
const MAY: Readonly<Record<Role, string>> = {
  owner: 'Everything, and makes, changes and removes owners.',
  admin: 'Everything, members and invitations included; but nothing about owners.',
  developer: 'Everything but API keys, members, limits and the audit log.',
  viewer: 'Reads, and changes nothing.',
};

interface OfMember {
  readonly member: Member;
  readonly onClose: () => void;
}

export function RoleDialog({ member: { userId, role: before, user }, onClose }: OfMember) {
  const me = useMe();
  const [role, setRole] = useState<Role>(before);
  const { make, busy, fault } = useChange(UPDATE_MEMBER);
  const submit = async () => {
    if (await make({ userId, role })) onClose();
  };
  return (
    <FormDialog
      title={`The role of ${user.name}`}
      verb="Change the role"
      shownAt={['role']}
      onSubmit={submit}
      {...{ busy, fault, onClose }}
    >
      <RoleField {...{ role, fault }} onChange={setRole} />
      {userId === me.user.userId && role !== before && (
        <Notice tone="warn">This is your own role. You cannot give it back to yourself.</Notice>
      )}
      <p className="text-sm text-muted">It holds at once, also where they have the dashboard open.</p>
    </FormDialog>
  );
}

export function RemoveDialog({ member: { userId, user }, onClose }: OfMember) {
  const { make, busy, fault } = useChange(REMOVE_MEMBER);
  const submit = async () => {
    if (await make({ userId })) onClose();
  };
  return (
    <FormDialog
      title={`Remove ${user.name}?`}
      verb="Remove"
      look="danger"
      onSubmit={submit}
      {...{ busy, fault, onClose }}
    >
      <p>
        {user.email} is signed out of this workspace at once, everywhere, and the invitations that they made end. API
        keys stay, for they are the workspace's: rotate those that they know.
      </p>
    </FormDialog>
  );
}

interface InviteProps {
  readonly onShow: (link: ShownLink) => void;
  readonly onClose: () => void;
}

export function InviteDialog({ onShow, onClose }: InviteProps) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('developer');
  const { make, busy, fault } = useChange(INVITE_MEMBER);
  const submit = async () => {
    const data = await make({ input: { email, role } });
    if (data) onShow({ email: data.inviteMember.invitation.email, url: data.inviteMember.url });
  };
  return (
    <FormDialog
      title="Invite somebody"
      verb="Make the link"
      shownAt={['email', 'role']}
      onSubmit={submit}
      {...{ busy, fault, onClose }}
    >
      <TextField
        label="E-mail"
        type="email"
        autoComplete="off"
        required
        value={email}
        error={faultAt(fault, 'email')}
        onChange={(event) => setEmail(event.target.value)}
      />
      <RoleField {...{ role, fault }} onChange={setRole} />
      <p className="text-sm text-muted">
        You get a link to send to them yourself. It works once, for 7 days, and replaces an open one of the same
        address.
      </p>
    </FormDialog>
  );
}

interface OfInvitation {
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

export function RevokeDialog({ invitation: { invitationId, email }, onClose }: OfInvitation) {
  const { make, busy, fault } = useChange(REVOKE_INVITATION);
  const submit = async () => {
    if (await make({ id: invitationId })) onClose();
  };
  return (
    <FormDialog
      title="Revoke the invitation?"
      verb="Revoke"
      look="danger"
      onSubmit={submit}
      {...{ busy, fault, onClose }}
    >
      <p>The link that was made for {email} stops working at once.</p>
    </FormDialog>
  );
}

interface RoleFieldProps {
  readonly role: Role;
  readonly fault: Fault | undefined;
  readonly onChange: (role: Role) => void;
}

/** Roles that whoever is signed in may give. */
function RoleField({ role, fault, onChange }: RoleFieldProps) {
  const me = useMe();
  return (
    <SelectField
      label="Role"
      hint={MAY[role]}
      value={role}
      error={faultAt(fault, 'role')}
      onChange={(event) => onChange(event.target.value as Role)}
    >
      {rolesGivenBy(me.role).map((one) => (
        <option key={one} value={one}>
          {roleInWords(one)}
        </option>
      ))}
    </SelectField>
  );
}

export const roleInWords = (role: Role) => role.charAt(0).toUpperCase() + role.slice(1);
