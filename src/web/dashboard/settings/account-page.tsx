import { enumValueIn } from '../../../contract/enum-names.ts';
import { SCOPES } from '../../../contract/scopes.ts';
import { SelectField } from '../../ui/field.tsx';
import { Time } from '../../ui/time.tsx';
import { AppList } from '../apps/app-list.tsx';
import { Fact, Facts } from '../frame/expandable.tsx';
import { PageFrame, Section } from '../frame/page-frame.tsx';
import { Table } from '../frame/table.tsx';
import { roleName } from '../members/role-name.ts';
import { signInMethodNames } from '../members/sign-in-methods.ts';
import { OwnNameForm } from '../names/name-forms.tsx';
import { SecondFactors } from '../second-factors/section.tsx';
import { useMe } from '../session/session.ts';
import { useTheme } from '../theme.ts';
import { PasswordForm } from './password-form.tsx';
import { SessionList } from './session-list.tsx';

export function Page() {
  const { user, role, scopes, workspace, belongsTo, expiresAt, emailVerifiedAt, signInMethods } = useMe();
  return (
    <PageFrame title="Your account" lead={`${user.name}, ${user.email}`}>
      <Section title="Your name">
        <OwnNameForm />
      </Section>
      <Section title="Theme">
        <ThemeField />
      </Section>
      <Section title="Your permissions">
        <Facts>
          <Fact name="Workspace">{workspace.name}</Fact>
          <Fact name="Role">{roleName(role)}</Fact>
          <Fact name="Scopes">
            <span className="font-mono text-sm">{scopes.map((name) => enumValueIn(SCOPES, name)).join(', ')}</span>
          </Fact>
          <Fact name="Session expires">
            <Time at={expiresAt} />
          </Fact>
        </Facts>
      </Section>
      <Section title="How you sign in">
        <Facts>
          <Fact name={`To ${workspace.name}`}>{signInMethodNames(signInMethods)}</Fact>
          <Fact name="Address verified">{emailVerifiedAt === null ? 'No' : <Time at={emailVerifiedAt} />}</Fact>
        </Facts>
        {emailVerifiedAt === null && (
          <p className="mt-3 text-sm text-muted">
            Set a new password with a link that you get by email or from the operator. Then you can join more
            workspaces, and your first single sign-on keeps the password.
          </p>
        )}
      </Section>
      <Section title="Second factors">
        <SecondFactors />
      </Section>
      <Section title="Change your password">
        <PasswordForm />
      </Section>
      <Section title="Sessions">
        <p className="mb-4 text-muted">Your open sessions in {workspace.name}.</p>
        <SessionList />
      </Section>
      <Section title="Connected apps">
        <p className="mb-4 text-muted">Apps that act for you in {workspace.name}, for example assistants.</p>
        <AppList />
      </Section>
      <Section title="Workspaces">
        <Table
          label="Your workspaces"
          columns={[
            { title: 'Name', cell: ({ name }) => name },
            { title: 'Your role', cell: (membership) => roleName(membership.role) },
            { title: 'You sign in with', cell: (membership) => signInMethodNames(membership.signInMethods) },
          ]}
          rows={belongsTo}
          keyOf={({ workspaceId }) => workspaceId}
          empty={<p>You are not a member of any workspace.</p>}
        />
        {belongsTo.length > 1 && <p className="mt-3 text-sm text-muted">Switch workspaces at the top of the page.</p>}
      </Section>
    </PageFrame>
  );
}

function ThemeField() {
  const { theme, options, choose } = useTheme();
  return (
    <SelectField
      label="Theme of this browser"
      value={theme}
      onChange={({ target }) => choose(options.find(({ value }) => value === target.value)?.value ?? 'auto')}
      className="max-w-xs"
    >
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </SelectField>
  );
}
