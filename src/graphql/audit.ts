import { listAudit } from '../domain/audit/reads.ts';
import { builder, type JsonObject } from './builder.ts';
import { AuditActionEnum, EnvironmentKindEnum } from './enums.ts';

const AuditEntry = builder.prismaObject('AuditEntry', {
  description: 'Something that was done in the workspace. Entries are never changed or deleted.',
  fields: (t) => ({
    auditEntryId: t.field({ type: 'SafeInt', description: 'Grows with time.', resolve: ({ id }) => Number(id) }),
    action: t.exposeString('action', { description: 'What was done, like api_key.rotated.' }),
    occurredAt: t.expose('occurredAt', { type: 'DateTime', description: 'When.' }),
    environment: t.expose('environment', {
      type: EnvironmentKindEnum,
      nullable: true,
      description: 'Where; null for what concerns the workspace as a whole.',
    }),
    actorKind: t.exposeString('actorKind', {
      description:
        'session, api_key, operator at the command line, service by itself, or anonymous where nobody is known.',
    }),
    actorId: t.exposeString('actorId', {
      nullable: true,
      description: 'The id of the user or the key, or the name of the operator; null for none of them.',
    }),
    subjectId: t.exposeString('subjectId', { nullable: true, description: 'The id of what it was done to.' }),
    details: t.field({
      type: 'JSONObject',
      description: 'What else is to be known; no secret.',
      resolve: ({ details }) => details as JsonObject,
    }),
    address: t.exposeString('address', { nullable: true, description: 'From where it was done.' }),
    requestId: t.exposeString('requestId', { description: 'The x-request-id.' }),
  }),
});

const AuditFilter = builder.inputType('AuditFilter', {
  description: 'Which entries a list holds. All conditions that are given hold.',
  fields: (t) => ({
    actions: t.field({ type: [AuditActionEnum], description: 'Only these.' }),
    actorId: t.string({ description: 'Only what this user or key did.' }),
    subjectId: t.string({ description: 'Only what was done to this.' }),
  }),
});

builder.queryField('auditLog', (t) =>
  t.connection(
    {
      type: AuditEntry,
      authScopes: { administrator: true },
      description:
        'What was done in the workspace, in both of its environments, newest first. Needs a session of an owner or admin.',
      args: { filter: t.arg({ type: AuditFilter, description: 'All of them where it is left out.' }) },
      resolve: (_root, { filter, ...args }, { domain }) => listAudit(domain, args, filter ?? {}),
    },
    { name: 'AuditConnection', description: 'A page of the audit log.' },
    { name: 'AuditEdge' },
  ),
);
