import { useState } from 'react';
import { enumValueOf } from '../../../contract/enum-names.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { assignableRoles } from '../../../contract/roles.ts';
import { Button } from '../../ui/button.tsx';
import { Badge } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { PageFrame, Section } from '../frame/page-frame.tsx';
import { SecretDialog } from '../frame/secret-dialog.tsx';
import { Table } from '../frame/table.tsx';
import { useOnCreate } from '../location.ts';
import { WorkspaceNameForm } from '../names/name-forms.tsx';
import { Pager, usePosition } from '../paging.tsx';
import { useServiceQuery } from '../requests.ts';
import { useMe } from '../session/session.ts';
import { INVITATIONS, MEMBERS } from './documents.ts';
import {
  type Invitation,
  type InvitationLink,
  InviteDialog,
  type Member,
  RemoveDialog,
  ResetFactorsDialog,
  RevokeDialog,
  RoleDialog,
  SentDialog,
} from './member-dialogs.tsx';
import { roleName } from './role-name.ts';
import { signInMethodNames } from './sign-in-methods.ts';

type OpenDialogState =
  | { readonly kind: 'invite' }
  | { readonly kind: 'role'; readonly member: Member }
  | { readonly kind: 'remove'; readonly member: Member }
  | { readonly kind: 'reset'; readonly member: Member }
  | { readonly kind: 'revoke'; readonly invitation: Invitation }
  | { readonly kind: 'link'; readonly link: InvitationLink };

export function Page() {
  const { workspace } = useMe();
  const [open, setOpen] = useState<OpenDialogState>();
  useOnCreate(() => setOpen({ kind: 'invite' }));
  return (
    <PageFrame
      title="Members"
      lead={`Members of ${workspace.name}. They have access to both environments.`}
      actions={
        <Button look="primary" onClick={() => setOpen({ kind: 'invite' })}>
          Invite member
        </Button>
      }
    >
      <MemberList open={setOpen} />
      <InvitationList open={setOpen} />
      <Section title="Workspace">
        <WorkspaceNameForm />
      </Section>
      <OpenDialog {...{ open, setOpen }} />
    </PageFrame>
  );
}

interface ListProps {
  readonly open: (dialog: OpenDialogState) => void;
}

function MemberList({ open }: ListProps) {
  const me = useMe();
  const query = useServiceQuery(MEMBERS, usePosition());
  return (
    <Loaded query={query} skeleton={<Skeleton rows={2} height="h-40 md:h-13" />}>
      {({ members: { nodes, pageInfo } }) => (
        <div>
          <Table
            label="Members"
            columns={[
              {
                title: 'Name',
                cell: ({ userId, user }) => (
                  <>
                    <span className="block font-medium">
                      {user.name} {userId === me.user.userId && <Badge tone="accent">You</Badge>}
                    </span>
                    <span className="block text-sm text-muted">{user.email}</span>
                  </>
                ),
              },
              { title: 'Role', cell: ({ role }) => roleName(role) },
              {
                title: 'Signs in with',
                cell: ({ signInMethods, hasSecondFactor }) =>
                  `${signInMethodNames(signInMethods)}${hasSecondFactor ? ', second factor' : ''}`,
              },
              { title: 'Joined', cell: ({ joinedAt }) => <Time at={joinedAt} /> },
              { title: 'Actions', cell: (member) => <MemberActions {...{ member, open }} /> },
            ]}
            rows={nodes}
            keyOf={({ userId }) => userId}
            empty={<p>This workspace has no members.</p>}
          />
          <Pager pageInfo={pageInfo} />
        </div>
      )}
    </Loaded>
  );
}

function MemberActions({ member, open }: ListProps & { readonly member: Member }) {
  const { role, user } = useMe();
  if (!assignableRoles(enumValueOf(role)).includes(enumValueOf(member.role))) {
    return <span className="text-sm text-muted">Only owners can change owners</span>;
  }
  return (
    <span className="flex flex-wrap justify-end gap-1 md:justify-start">
      <Button small aria-label={`Change role of ${member.user.name}`} onClick={() => open({ kind: 'role', member })}>
        Change role
      </Button>
      {member.hasSecondFactor && member.userId !== user.userId && (
        <Button
          small
          aria-label={`Reset second factors of ${member.user.name}`}
          onClick={() => open({ kind: 'reset', member })}
        >
          Reset second factors
        </Button>
      )}
      <Button
        small
        look="danger"
        aria-label={`Remove ${member.user.name}`}
        onClick={() => open({ kind: 'remove', member })}
      >
        Remove
      </Button>
    </span>
  );
}

/** The name of this list's cursors in the URL. */
const LIST = 'invitations';

function InvitationList({ open }: ListProps) {
  const { role } = useMe();
  const query = useServiceQuery(INVITATIONS, usePosition(undefined, LIST));
  return (
    <section aria-label="Open invitations" className="flex flex-col gap-3">
      <h2 className="text-lg font-semibold">Open invitations</h2>
      <Loaded query={query} skeleton={<Skeleton rows={2} height="h-40 md:h-13" />}>
        {({ invitations: { nodes, pageInfo } }) => (
          <div>
            <Table
              label="Invitations"
              columns={[
                { title: 'Email', cell: ({ email }) => <span className="wrap-anywhere font-medium">{email}</span> },
                { title: 'Role', cell: (invitation) => roleName(invitation.role) },
                { title: 'Invited by', cell: ({ invitedBy }) => invitedBy.name },
                { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
                {
                  title: 'Actions',
                  cell: (invitation) =>
                    assignableRoles(enumValueOf(role)).includes(enumValueOf(invitation.role)) ? (
                      <Button
                        small
                        look="danger"
                        aria-label={`Revoke the invitation for ${invitation.email}`}
                        onClick={() => open({ kind: 'revoke', invitation })}
                      >
                        Revoke
                      </Button>
                    ) : (
                      <span className="text-sm text-muted">Only owners can change owners</span>
                    ),
                },
              ]}
              rows={nodes}
              keyOf={({ invitationId }) => invitationId}
              empty={<p>No open invitations. Invite a member, then send them the link.</p>}
            />
            <Pager pageInfo={pageInfo} list={LIST} />
          </div>
        )}
      </Loaded>
    </section>
  );
}

interface OpenProps {
  readonly open: OpenDialogState | undefined;
  readonly setOpen: (open?: OpenDialogState) => void;
}

function OpenDialog({ open, setOpen }: OpenProps) {
  const { workspace } = useMe();
  const onClose = () => setOpen(undefined);
  if (!open) return null;
  if (open.kind === 'invite')
    return <InviteDialog onClose={onClose} onCreated={(link) => setOpen({ kind: 'link', link })} />;
  if (open.kind === 'role') return <RoleDialog member={open.member} onClose={onClose} />;
  if (open.kind === 'reset') return <ResetFactorsDialog member={open.member} onClose={onClose} />;
  if (open.kind === 'remove') return <RemoveDialog member={open.member} onClose={onClose} />;
  if (open.kind === 'revoke') return <RevokeDialog invitation={open.invitation} onClose={onClose} />;
  const { email, url } = open.link;
  if (url === null) return <SentDialog email={email} onClose={onClose} />;
  return (
    <SecretDialog title={`Invitation for ${email}`} label="Invitation link" secret={url} onDone={onClose}>
      <p>
        Anyone with this link can join {workspace.name} as {email}. Send it only to them. It works once, for{' '}
        {LIMITS.invitationDays} days.
      </p>
    </SecretDialog>
  );
}
