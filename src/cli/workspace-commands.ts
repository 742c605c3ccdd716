import { createMember } from '../domain/access/members/create-member.ts';
import { resetPassword } from '../domain/access/passwords/reset-password.ts';
import { createWorkspace } from '../domain/access/workspaces/create-workspace.ts';
import type { Command } from './command.ts';
import { ENVIRONMENT_OPTIONS } from './options.ts';
import { PASSWORD_FIELD, PASSWORD_OPTION, readPassword } from './password.ts';

const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Creates or updates the tables.',
  options: {},
  migrates: true,
  async run(session) {
    const migrations = await session.migrate();
    const text = migrations.length > 0 ? `Applied ${migrations.join(', ')}.` : 'The database is up to date.';
    return { data: { migrations }, text };
  },
};

const createWorkspaceCommand: Command = {
  name: 'create-workspace',
  summary: 'Creates a workspace with its two environments.',
  options: { name: { value: 'NAME', help: 'the display name', required: true } },
  async run({ operator }, options) {
    const { id, name } = await createWorkspace(operator, { name: options.required('name') });
    return { data: { workspace_id: id, name }, text: `Created the workspace ${name}: ${id}` };
  },
};

const createUserCommand: Command = {
  name: 'create-user',
  summary: 'Creates a user who is a member of a workspace.',
  options: {
    email: { value: 'ADDRESS', help: 'the email address for signing in', required: true },
    name: { value: 'NAME', help: 'the display name', required: true },
    role: { value: 'ROLE', help: 'owner, admin, developer or viewer', required: true },
    workspace: ENVIRONMENT_OPTIONS.workspace,
    ...PASSWORD_OPTION,
  },
  fields: PASSWORD_FIELD,
  async run(session, options) {
    const { ctx, workspace } = await session.environment(options);
    const { password, isGenerated } = await readPassword(session.terminal, options);
    const [email, name, role] = [options.required('email'), options.required('name'), options.required('role')];
    const userId = await createMember(ctx, { email, name, role, password });
    return {
      data: { user_id: userId, email, role, ...(isGenerated && { password }) },
      text: [`Created ${email} as ${role} of ${workspace}.`, ...passwordLines(isGenerated, password)].join('\n'),
    };
  },
};

const resetPasswordCommand: Command = {
  name: 'reset-password',
  summary: 'Replaces the password of a user, and revokes all of their sessions.',
  options: {
    email: { value: 'ADDRESS', help: 'the email address for signing in', required: true },
    ...PASSWORD_OPTION,
  },
  fields: PASSWORD_FIELD,
  async run({ operator, terminal }, options) {
    const email = options.required('email');
    const { password, isGenerated } = await readPassword(terminal, options);
    const { userId, sessions } = await resetPassword(operator, { email, password });
    return {
      data: { user_id: userId, email, ended_sessions: sessions, ...(isGenerated && { password }) },
      text: [
        `Replaced the password of ${email}. Revoked sessions: ${sessions}.`,
        ...passwordLines(isGenerated, password),
      ].join('\n'),
    };
  },
};

function passwordLines(isGenerated: boolean, password: string): string[] {
  return isGenerated ? [`The password, shown only once: ${password}`] : [];
}

export const WORKSPACE_COMMANDS: readonly Command[] = [
  migrateCommand,
  createWorkspaceCommand,
  createUserCommand,
  resetPasswordCommand,
];
