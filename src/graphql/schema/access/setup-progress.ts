import { type SetupProgress, setupProgress } from '../../../domain/workflows/setup-progress.ts';
import { builder } from '../builder.ts';

const SetupProgressObject = builder.objectRef<SetupProgress>('SetupProgress').implement({
  description:
    'The steps before the first conversation of an environment. What the first start of the service has made does not count, until a member changes it.',
  fields: (t) => ({
    hasModel: t.exposeBoolean('hasModel', {
      description: 'Whether a provider of models is configured, so that not only the demo model answers.',
    }),
    hasWorkflow: t.exposeBoolean('hasWorkflow', { description: 'Whether somebody has created or changed a workflow.' }),
    hasTest: t.exposeBoolean('hasTest', { description: 'Whether somebody has tested a draft in the environment.' }),
    hasPublication: t.exposeBoolean('hasPublication', {
      description: 'Whether somebody has published to a deployment.',
    }),
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
