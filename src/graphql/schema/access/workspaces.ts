import { UUID_PATTERN } from '../../../contract/ids.ts';
import { findUsers } from '../../../domain/access/members/members.ts';
import type { SessionMember } from '../../../domain/access/open-session.ts';
import { updateWorkspace } from '../../../domain/access/workspaces/rename.ts';
import {
  type Environment as EnvironmentRow,
  environmentsOf,
  findEnvironments,
  findWorkspaces,
  type Workspace as WorkspaceRow,
} from '../../../domain/access/workspaces/workspaces.ts';
import { timeZoneOf } from '../../../domain/budgets/time-zone.ts';
import type { SessionCaller } from '../../../domain/caller.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { UPDATE_WORKSPACE } from '../../../shapes/accounts.ts';
import { builder } from '../builder.ts';
import { loadEdge } from '../edges.ts';
import { mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { EnvironmentKindEnum } from './access-enums.ts';

const ID = { description: 'The global ID, for `node`.' };

/** The rows in the order of the IDs. Texts that are not UUIDs are not in the database. */
async function inOrder<Row extends { readonly id: string }>(
  ids: readonly string[],
  find: (ids: readonly string[]) => Promise<readonly Row[]>,
): Promise<(Row | null)[]> {
  const rows = await find(ids.filter((id) => UUID_PATTERN.test(id)));
  return ids.map((id) => rows.find((row) => row.id === id) ?? null);
}

export const User = builder.node(builder.objectRef<SessionCaller['user']>('User'), {
  id: { ...ID, resolve: ({ id }) => id },
  extensions: { nodeAdministrator: true } satisfies NodeExtensions,
  description: 'A person with an account.',
  loadMany: (ids, { domain }) => inOrder(ids, (valid) => findUsers(domain, valid)),
  fields: (t) => ({
    userId: t.expose('id', { type: 'UUID', description: 'The ID. It stays the same when the email address changes.' }),
    email: t.exposeString('email', { description: 'The email address for signing in, in lower case.' }),
    name: t.exposeString('name', { description: 'Display name.' }),
  }),
});

/** A workspace. The payload of a new session brings the environments, because its request may have no credentials. */
interface ReadWorkspace extends WorkspaceRow {
  readonly environments?: readonly ReadEnvironment[];
}

interface ReadEnvironment extends EnvironmentRow {
  readonly workspace?: ReadWorkspace;
}

const EnvironmentRef = builder.objectRef<ReadEnvironment>('Environment');

export const WorkspaceObject = builder.node(builder.objectRef<ReadWorkspace>('Workspace'), {
  id: { ...ID, resolve: ({ id }) => id },
  extensions: { nodeCredentials: true } satisfies NodeExtensions,
  description: 'A tenant: it owns members, workflows and deployments.',
  loadMany: (ids, { domain }) => inOrder(ids, (valid) => findWorkspaces(domain, valid)),
  fields: (t) => ({
    workspaceId: t.expose('id', { type: 'UUID', description: 'The ID of the workspace.' }),
    name: t.exposeString('name', { description: 'Display name.' }),
    currency: t.string({
      description: 'The currency of the model prices and of every cost: an ISO 4217 code. The operator sets it.',
      resolve: (_workspace, _args, { services }) => services.settings.currency,
    }),
    environments: t.field({
      type: [EnvironmentRef],
      nullable: true,
      access: { credentials: true, carriedAs: 'environments' },
      description: 'Both environments: live, then test. Null: the request has no credentials.',
      resolve: ({ id, environments }, _args, context) => environments ?? environmentsOf(context.domain, id),
    }),
  }),
});

export const Environment = builder.node(EnvironmentRef, {
  id: { ...ID, resolve: ({ id }) => id },
  extensions: { nodeCredentials: true } satisfies NodeExtensions,
  description: 'One of the two environments of a workspace. Each has its own conversations, resources and keys.',
  loadMany: (ids, { domain }) => inOrder(ids, (valid) => findEnvironments(domain, valid)),
  fields: (t) => ({
    environmentId: t.expose('id', { type: 'UUID', description: 'The ID of the environment.' }),
    kind: t.expose('kind', { type: EnvironmentKindEnum, description: 'Whether it is for production or for tests.' }),
    timeZone: t.string({
      nullable: true,
      access: { credentials: true },
      description:
        'The time zone in which the days and months of budgets begin: an IANA name. Null: the request has no credentials.',
      resolve: ({ id }, _args, { domain }) => timeZoneOf(domain, id),
    }),
    workspace: t.field({
      type: WorkspaceObject,
      nullable: true,
      access: { credentials: true, carriedAs: 'workspace' },
      description: 'The workspace that owns the environment. Null: the request has no credentials.',
      resolve: ({ workspaceId, workspace }, _args, context, info) => workspace ?? loadEdge(workspaceId, context, info),
    }),
  }),
});

/** The workspace of a session. */
export function workspaceOf(session: {
  readonly environment: { readonly workspaceId: string };
  readonly workspaceName: string;
}): WorkspaceRow {
  return { id: session.environment.workspaceId, name: session.workspaceName };
}

/** The workspace of a new session, with everything that the payload of the session can select. */
export function workspaceOfNew(member: SessionMember): ReadWorkspace {
  const environments: ReadEnvironment[] = [];
  const workspace = { ...workspaceOf(member), environments };
  environments.push(...member.environments.map((environment) => ({ ...environment, workspace })));
  return workspace;
}

mutation('updateWorkspace', {
  publishing: 'never',
  access: { administrator: true },
  description: 'Changes the name of the workspace. Needs a session of an owner or admin.',
  input: inputType(UPDATE_WORKSPACE),
  errors: ['invalid_request'],
  resolve: (input, { domain }) => updateWorkspace(domain, input),
  payload: (t) => ({
    workspace: t.field({
      type: WorkspaceObject,
      description: 'The changed workspace.',
      resolve: (workspace) => workspace,
    }),
  }),
});
