import { useState } from 'react';
import { rolesGivenBy } from '../../../contract/roles.ts';
import { Button } from '../../ui/button.tsx';
import { Badge } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { Pager, usePosition } from '../paging.tsx';
import { useReading } from '../requests.ts';
import { useMe } from '../session/session.ts';
import { Loaded } from '../shell/loaded.tsx';
import { PageFrame } from '../shell/page-frame.tsx';
import { SecretDialog } from '../shell/secret-dialog.tsx';
import { Table } from '../shell/table.tsx';
import { INVITATIONS, MEMBERS } from './documents.ts';
import {
  type Invitation,
  InviteDialog,
  type Member,
  RemoveDialog,
  RevokeDialog,
  RoleDialog,
  roleInWords,
  type ShownLink,
} from './member-dialogs.tsx';

type Open =
  | { readonly kind: 'invite' }
  | { readonly kind: 'role'; readonly member: Member }
  | { readonly kind: 'remove'; readonly member: Member }
  | { readonly kind: 'revoke'; readonly invitation: Invitation }
  | { readonly kind: 'link'; readonly link: ShownLink };

export function Page() {
  const { workspace } = useMe();
  const [open, setOpen] = useState<Open>();
  return (
    <PageFrame
      title="Members"
      lead={`Who belongs to ${workspace.name}, in both of its environments.`}
      actions={
        <Button look="primary" onClick={() => setOpen({ kind: 'invite' })}>
          Invite somebody
        </Button>
      }
    >
      <MemberList open={setOpen} />
      <InvitationList open={setOpen} />
      <OpenDialog {...{ open, setOpen }} />
    </PageFrame>
  );
}

interface ListProps {
  readonly open: (what: Open) => void;
}

function MemberList({ open }: ListProps) {
  const me = useMe();
  const reading = useReading(MEMBERS, usePosition());
  return (
    <Loaded reading={reading}>
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
              { title: 'Role', cell: ({ role }) => roleInWords(role) },
              { title: 'Joined', cell: ({ joinedAt }) => <Time at={joinedAt} /> },
              { title: 'Actions', cell: (member) => <MemberActions {...{ member, open }} /> },
            ]}
            rows={nodes}
            keyOf={({ userId }) => userId}
            empty={<p>There are no members.</p>}
          />
          <Pager pageInfo={pageInfo} />
        </div>
      )}
    </Loaded>
  );
}

function MemberActions({ member, open }: ListProps & { readonly member: Member }) {
  const { role } = useMe();
  if (!rolesGivenBy(role).includes(member.role)) {
    return <span className="text-sm text-muted">Only owners change owners</span>;
  }
  return (
    <span className="flex flex-wrap justify-end gap-1 md:justify-start">
      <Button small aria-label={`Change role of ${member.user.name}`} onClick={() => open({ kind: 'role', member })}>
        Change role
      </Button>
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

/** The name of its position in the address. */
const LIST = 'invitations';

function InvitationList({ open }: ListProps) {
  const { role } = useMe();
  const reading = useReading(INVITATIONS, usePosition(undefined, LIST));
  return (
    <section aria-label="Open invitations" className="flex flex-col gap-3">
      <h2 className="text-lg font-semibold">Open invitations</h2>
      <Loaded reading={reading}>
        {({ invitations: { nodes, pageInfo } }) => (
          <div>
            <Table
              label="Invitations"
              columns={[
                { title: 'E-mail', cell: ({ email }) => <span className="break-all font-medium">{email}</span> },
                { title: 'Role', cell: (invitation) => roleInWords(invitation.role) },
                { title: 'Made by', cell: ({ invitedBy }) => invitedBy.name },
                { title: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
                {
                  title: 'Actions',
                  cell: (invitation) =>
                    rolesGivenBy(role).includes(invitation.role) ? (
                      <Button
                        small
                        look="danger"
                        aria-label={`Revoke the invitation of ${invitation.email}`}
                        onClick={() => open({ kind: 'revoke', invitation })}
                      >
                        Revoke
                      </Button>
                    ) : (
                      <span className="text-sm text-muted">Only owners change owners</span>
                    ),
                },
              ]}
              rows={nodes}
              keyOf={({ invitationId }) => invitationId}
              empty={<p>No invitation is open. Invite somebody, and send them the link.</p>}
            />
            <Pager pageInfo={pageInfo} list={LIST} />
          </div>
        )}
      </Loaded>
    </section>
  );
}

interface OpenProps {
  readonly open: Open | undefined;
  readonly setOpen: (open?: Open) => void;
}

function OpenDialog({ open, setOpen }: OpenProps) {
  const { workspace } = useMe();
  const onClose = () => setOpen(undefined);
  if (!open) return null;
  if (open.kind === 'invite')
    return <InviteDialog onClose={onClose} onShow={(link) => setOpen({ kind: 'link', link })} />;
  if (open.kind === 'role') return <RoleDialog member={open.member} onClose={onClose} />;
  if (open.kind === 'remove') return <RemoveDialog member={open.member} onClose={onClose} />;
  if (open.kind === 'revoke') return <RevokeDialog invitation={open.invitation} onClose={onClose} />;
  const { email, url } = open.link;
  return (
    <SecretDialog title={`The link for ${email}`} label="Invitation link" secret={url} onDone={onClose}>
      <p>
        Whoever opens it joins {workspace.name} as {email}: send it to them alone. It works once, for 7 days.
      </p>
    </SecretDialog>
  );
}
