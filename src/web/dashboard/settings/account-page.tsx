import { Time } from '../../ui/time.tsx';
import { useMe } from '../session/session.ts';
import { Fact, Facts } from '../shell/expandable.tsx';
import { PageFrame, Section } from '../shell/page-frame.tsx';
import { Table } from '../shell/table.tsx';
import { PasswordForm } from './password-form.tsx';
import { SessionList } from './session-list.tsx';

export function Page() {
  const { user, role, scopes, workspace, belongsTo, expiresAt } = useMe();
  return (
    <PageFrame title="Your account" lead={`${user.name}, ${user.email}`}>
      <Section title="What you may do">
        <Facts>
          <Fact name="Workspace">{workspace.name}</Fact>
          <Fact name="Role">{role}</Fact>
          <Fact name="Scopes">
            <span className="font-mono text-sm">{scopes.join(', ')}</span>
          </Fact>
          <Fact name="This session ends">
            <Time at={expiresAt} />
          </Fact>
        </Facts>
      </Section>
      <Section title="Change your password">
        <PasswordForm />
      </Section>
      <Section title="Where you are signed in">
        <p className="mb-4 text-muted">Your sessions in {workspace.name}.</p>
        <SessionList />
      </Section>
      <Section title="Workspaces">
        <Table
          label="Your workspaces"
          columns={[
            { title: 'Name', cell: ({ name }) => name },
            { title: 'Your role', cell: (belonging) => belonging.role },
          ]}
          rows={belongsTo}
          keyOf={({ workspaceId }) => workspaceId}
          empty={<p>You belong to no workspace.</p>}
        />
        {belongsTo.length > 1 && (
          <p className="mt-3 text-sm text-muted">Change to another one at the top of the page.</p>
        )}
      </Section>
    </PageFrame>
  );
}
