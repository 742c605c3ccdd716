import type { ActorKind, AuditAction } from '../../../contract/audit.ts';
import { listAudit } from '../../../domain/audit/reads.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { EnvironmentKindEnum } from '../access/access-enums.ts';
import { builder, type JsonObject } from '../builder.ts';
import type { NodeRowsExtensions } from '../node-rows.ts';
import { ActorKindEnum, AuditActionEnum } from './audit-enums.ts';

const entryKey = (id: string) => (/^\d{1,18}$/.test(id) ? BigInt(id) : 0n);

export const AuditEntry = builder.prismaNode('AuditEntry', {
  id: { field: 'id', description: 'The global ID, for `node`.' },
  extensions: {
    nodeAdministrator: true,
    nodeRows: { model: 'auditEntry', keyOf: entryKey },
  } satisfies NodeExtensions & NodeRowsExtensions,
  nullable: true,
  findUnique: (id) => ({ id: entryKey(id) }),
  description: 'An action in the workspace. Entries are never changed. The operator can limit how long they are kept.',
  fields: (t) => ({
    auditEntryId: t.field({
      type: 'SafeInt',
      description: 'The ID. It increases over time.',
      resolve: ({ id }) => Number(id),
    }),
    action: t.field({
      type: AuditActionEnum,
      description: 'What was done.',
      // Only the service writes entries.
      resolve: ({ action }) => action as AuditAction,
    }),
    occurredAt: t.expose('occurredAt', { type: 'DateTime', description: 'Time of the action.' }),
    environment: t.expose('environment', {
      type: EnvironmentKindEnum,
      nullable: true,
      description: 'The environment. Null: the action concerns the whole workspace.',
    }),
    actorKind: t.field({
      type: ActorKindEnum,
      description: 'Who did it.',
      resolve: ({ actorKind }) => actorKind as ActorKind,
    }),
    actorId: t.exposeString('actorId', {
      nullable: true,
      description: 'The ID of the user, key or app, or the name of the operator. Null: `SERVICE` or `ANONYMOUS`.',
    }),
    subjectId: t.exposeString('subjectId', { nullable: true, description: 'The ID of the affected object.' }),
    details: t.field({
      type: 'JSONObject',
      description: 'Further details of the action. They never contain secrets.',
      resolve: ({ details }) => details as JsonObject,
    }),
    address: t.exposeString('address', { nullable: true, description: 'The IP address of the request.' }),
    requestId: t.exposeString('requestId', { description: 'The x-request-id of the request.' }),
  }),
});

const AuditFilter = builder.inputType('AuditFilter', {
  description: 'Filters the audit log. All conditions must match.',
  fields: (t) => ({
    actions: t.field({ type: [AuditActionEnum], description: 'Only these actions.' }),
    actorId: t.string({
      idOf: ['ApiKey', 'Member', 'User'],
      description: 'Only actions of the user or key with this ID.',
    }),
    subjectId: t.string({ idOf: 'Node', description: 'Only actions on the object with this ID.' }),
  }),
});

builder.queryField('auditLog', (t) =>
  t.connection(
    {
      publishing: 'never',
      type: AuditEntry,
      access: { administrator: true },
      description:
        'The audit log of the workspace, across both environments, newest first. Needs a session of an owner or admin.',
      args: { filter: t.arg({ type: AuditFilter, description: 'Omit it for all entries.' }) },
      resolve: (_root, { filter, ...args }, { domain }) => listAudit(domain, args, filter ?? {}),
    },
    { name: 'AuditConnection', description: 'A page of the audit log.' },
    { name: 'AuditEdge' },
  ),
);
