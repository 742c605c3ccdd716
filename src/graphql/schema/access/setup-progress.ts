import { type SetupProgress, setupProgress } from '../../../domain/workflows/setup-progress.ts';
import { builder } from '../builder.ts';

const SetupProgressObject = builder.objectRef<SetupProgress>('SetupProgress').implement({
  description: 'The steps before the first conversation of an environment.',
  fields: (t) => ({
    hasWorkflow: t.exposeBoolean('hasWorkflow', { description: 'Whether the workspace has a workflow.' }),
    hasTest: t.exposeBoolean('hasTest', { description: 'Whether somebody has tested a draft in the environment.' }),
    hasPublication: t.exposeBoolean('hasPublication', { description: 'Whether a deployment is published.' }),
    hasAccess: t.exposeBoolean('hasAccess', {
      description:
        'Whether clients can connect: a published deployment has its hosted page on, or the environment has an API key.',
    }),
  }),
});

builder.queryField('setupProgress', (t) =>
  t.field({
    publishing: 'reads',
    type: SetupProgressObject,
    nullable: true,
    access: { scope: 'workflows:read' },
    description:
      'The steps before the first conversation of the environment. Null: it has a conversation. Scope: workflows:read.',
    resolve: (_root, _args, { domain }) => setupProgress(domain).then((progress) => progress ?? null),
  }),
);
