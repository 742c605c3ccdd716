import { createMember } from '../domain/access/create-member.ts';
import { createWorkspace } from '../domain/access/create-workspace.ts';
import { resetPassword } from '../domain/access/reset-password.ts';
import { type Command, ENVIRONMENT_OPTIONS } from './command.ts';
import { PASSWORD_FIELD, PASSWORD_OPTION, readPassword } from './password.ts';

const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Makes the tables, or brings them up to date.',
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
  summary: 'Makes a workspace with its two environments.',
  options: { name: { value: 'NAME', help: 'what people call it', required: true } },
  async run({ operator }, given) {
    const { id, name } = await createWorkspace(operator, { name: given.required('name') });
    return { data: { workspace_id: id, name }, text: `Made the workspace ${name}: ${id}` };
  },
};

const createUserCommand: Command = {
  name: 'create-user',
  summary: 'Makes a user who is a member of a workspace.',
  options: {
    email: { value: 'ADDRESS', help: 'what they sign in with', required: true },
    name: { value: 'NAME', help: 'what people call them', required: true },
    role: { value: 'ROLE', help: 'owner, admin, developer or viewer', required: true },
    workspace: ENVIRONMENT_OPTIONS.workspace,
    ...PASSWORD_OPTION,
  },
  fields: PASSWORD_FIELD,
  async run(session, given) {
    const { ctx, workspace } = await session.environment(given);
    const { password, isMade } = await readPassword(given);
    const [email, name, role] = [given.required('email'), given.required('name'), given.required('role')];
    const userId = await createMember(ctx, { email, name, role, password });
    return {
      data: { user_id: userId, email, role, ...(isMade && { password }) },
      text: [`Made ${email} ${role} of ${workspace}.`, ...shown(isMade, password)].join('\n'),
    };
  },
};

const resetPasswordCommand: Command = {
  name: 'reset-password',
  summary: 'Gives a user another password, and ends all sessions of theirs.',
  options: { email: { value: 'ADDRESS', help: 'what they sign in with', required: true }, ...PASSWORD_OPTION },
  fields: PASSWORD_FIELD,
  async run({ operator }, given) {
    const email = given.required('email');
    const { password, isMade } = await readPassword(given);
    const { userId, sessions } = await resetPassword(operator, { email, password });
    return {
      data: { user_id: userId, email, ended_sessions: sessions, ...(isMade && { password }) },
      text: [`${email} has another password; sessions ended: ${sessions}.`, ...shown(isMade, password)].join('\n'),
    };
  },
};

function shown(isMade: boolean, password: string): string[] {
  return isMade ? [`The password, shown this once: ${password}`] : [];
}

export const WORKSPACE_COMMANDS: readonly Command[] = [
  migrateCommand,
  createWorkspaceCommand,
  createUserCommand,
  resetPasswordCommand,
];
