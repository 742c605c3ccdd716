import type { ResultOf } from 'gql.tada';
import { type Control, type FieldPath, type FieldValues, useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { enumNameOf, enumValueOf } from '../../../contract/enum-names.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { assignableRoles, ROLES, type Role } from '../../../contract/roles.ts';
import { INVITE_MEMBER as INPUT } from '../../../shapes/accounts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { pageData } from '../../ui/mount.tsx';
import { Notice } from '../../ui/notice.tsx';
import { FormSelect, FormTextField } from '../forms/fields.tsx';
import { FormDialog } from '../forms/form.tsx';
import { requiredText } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { useServiceMutation } from '../requests.ts';
import { useMe } from '../session/session.ts';
import {
  type INVITATIONS,
  INVITE_MEMBER,
  type MEMBERS,
  REMOVE_MEMBER,
  RESET_SECOND_FACTORS,
  REVOKE_INVITATION,
  UPDATE_MEMBER,
} from './documents.ts';
import { type RoleName, roleName } from './role-name.ts';

export type Member = ResultOf<typeof MEMBERS>['members']['nodes'][number];
export type Invitation = ResultOf<typeof INVITATIONS>['invitations']['nodes'][number];

/** An invitation's link. It is shown once. */
export interface InvitationLink {
  readonly email: string;
  /** Null: the service sends it by email. */
  readonly url: string | null;
}

/** The permissions of each role, in one sentence. */
const PERMISSIONS: Readonly<Record<Role, string>> = {
  owner: 'Can do everything, including adding, changing and removing owners.',
  admin: 'Can do everything except add, change or remove owners.',
  developer: 'Can do everything except manage API keys, members and limits, and read the audit log.',
  viewer: 'Can view data, but not change it.',
};

const ROLE_NAMES = ROLES.map(enumNameOf);

interface MemberProps {
  readonly member: Member;
  readonly onClose: () => void;
}

const roleSchema = z.object({ role: z.enum(ROLE_NAMES) });

export function RoleDialog({ member: { userId, role: current, user }, onClose }: MemberProps) {
  const me = useMe();
  const form = useMutationForm({
    schema: roleSchema,
    defaultValues: { role: current },
    mutation: UPDATE_MEMBER,
    variables: ({ role }) => ({ userId, role }),
    onSuccess: onClose,
  });
  const { control } = form;
  const role = useWatch({ control, name: 'role' });
  return (
    <FormDialog title={`Role of ${user.name}`} verb="Change role" {...{ form, onClose }}>
      <RoleField control={control} name="role" />
      {userId === me.user.userId && role !== current && (
        <Notice tone="warn">This is your own role. You cannot change it back yourself.</Notice>
      )}
      <p className="text-sm text-muted">The change takes effect immediately, including in open dashboards.</p>
    </FormDialog>
  );
}

export function RemoveDialog({ member: { userId, user }, onClose }: MemberProps) {
  const { mutate, busy, error } = useServiceMutation(REMOVE_MEMBER);
  const confirm = async () => {
    if (await mutate({ userId })) onClose();
  };
  return (
    <ConfirmDialog title={`Remove ${user.name}?`} verb="Remove" onConfirm={confirm} {...{ busy, error, onClose }}>
      <p>
        {user.email} is signed out of this workspace immediately, and the invitations that they created are revoked. API
        keys belong to the workspace and keep working. Rotate the keys that they know.
      </p>
    </ConfirmDialog>
  );
}

export function ResetFactorsDialog({ member: { userId, user }, onClose }: MemberProps) {
  const { mutate, busy, error } = useServiceMutation(RESET_SECOND_FACTORS);
  const confirm = async () => {
    if (await mutate({ userId })) onClose();
  };
  return (
    <ConfirmDialog
      title={`Reset second factors of ${user.name}?`}
      verb="Reset"
      onConfirm={confirm}
      {...{ busy, error, onClose }}
    >
      <p>
        Their second factors and recovery codes are removed, and their sessions end. Their password alone opens the
        account again. First make sure that the request comes from {user.email}.
      </p>
    </ConfirmDialog>
  );
}

interface InviteProps {
  readonly onCreated: (link: InvitationLink) => void;
  readonly onClose: () => void;
}

const inviteSchema = z.object({
  email: requiredText('an email address', INPUT.fields.email.most),
  role: z.enum(ROLE_NAMES),
});

export function InviteDialog({ onCreated, onClose }: InviteProps) {
  const { sendsMail } = pageData<{ sendsMail?: boolean }>();
  const form = useMutationForm({
    schema: inviteSchema,
    defaultValues: { email: '', role: 'DEVELOPER' as RoleName },
    mutation: INVITE_MEMBER,
    variables: (input) => ({ input }),
    onSuccess: ({ invitation, url }) => onCreated({ email: invitation.email, url }),
  });
  const { control } = form;
  return (
    <FormDialog title="Invite a member" verb={sendsMail ? 'Send invitation' : 'Create link'} {...{ form, onClose }}>
      <FormTextField control={control} name="email" label="Email" type="email" autoComplete="off" required />
      <RoleField control={control} name="role" />
      <p className="text-sm text-muted">
        {sendsMail ? 'They get a link by email.' : 'Send the link to them yourself.'} It works once, for{' '}
        {LIMITS.invitationDays} days. It replaces an open invitation for the same address.
      </p>
    </FormDialog>
  );
}

interface SentProps {
  readonly email: string;
  readonly onClose: () => void;
}

/** The invitation is on its way. Nobody but the invited person sees its link. */
export function SentDialog({ email, onClose }: SentProps) {
  return (
    <Dialog title={`Invitation for ${email}`} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p>
          The service sends the link to {email}. It works once, for {LIMITS.invitationDays} days. If it does not arrive,
          invite them again.
        </p>
        <div className="flex justify-end">
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

interface RevokeProps {
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

export function RevokeDialog({ invitation: { invitationId, email }, onClose }: RevokeProps) {
  const { mutate, busy, error } = useServiceMutation(REVOKE_INVITATION);
  const confirm = async () => {
    if (await mutate({ id: invitationId })) onClose();
  };
  return (
    <ConfirmDialog title="Revoke the invitation?" verb="Revoke" onConfirm={confirm} {...{ busy, error, onClose }}>
      <p>The link for {email} stops working immediately.</p>
    </ConfirmDialog>
  );
}

interface RoleFieldProps<Values extends FieldValues, Output> {
  readonly control: Control<Values, unknown, Output>;
  readonly name: FieldPath<Values>;
}

/** Offers the roles that the signed-in user can assign. */
function RoleField<Values extends FieldValues, Output>({ control, name }: RoleFieldProps<Values, Output>) {
  const me = useMe();
  const role: RoleName = useWatch({ control, name });
  return (
    <FormSelect control={control} name={name} label="Role" hint={PERMISSIONS[enumValueOf(role)]}>
      {assignableRoles(enumValueOf(me.role))
        .map(enumNameOf)
        .map((one) => (
          <option key={one} value={one}>
            {roleName(one)}
          </option>
        ))}
    </FormSelect>
  );
}
