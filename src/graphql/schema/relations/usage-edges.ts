import { loadInBatch } from '../../../domain/related/batches.ts';
import { usageOfEach } from '../../../domain/usage/report.ts';
import type { CostExtensions } from '../../../operation/document-cost.ts';
import { FinishedTurnObject, PausedTurnObject } from '../agent/turn-results.ts';
import { builder } from '../builder.ts';
import { Run } from '../conversations/runs.ts';
import { fieldPath, loadEdge } from '../edges.ts';
import { reportArguments, UsageObject } from '../usage/usage.ts';
import { Deployment } from '../workflows/deployments.ts';

builder.prismaObjectField(Deployment, 'usage', (t) =>
  t.field({
    type: [UsageObject],
    nullable: true,
    access: { scope: 'workflows:read' },
    // The query reads the whole period.
    extensions: { cost: 200 } satisfies CostExtensions,
    description:
      'Its usage in the environment in a period, latest day first. Null: the caller lacks the scope. Scope: workflows:read.',
    args: reportArguments(t.arg),
    resolve: ({ id }, report, { domain }, info) =>
      loadInBatch(domain, `usage ${fieldPath(info.path)}`, id, (ids) => usageOfEach(domain, ids, report)),
  }),
);

const RUN = {
  type: Run,
  nullable: true,
  description: 'The run of the turn. Null: its conversation was deleted in the meantime.',
} as const;

builder.objectField(FinishedTurnObject, 'run', (t) =>
  t.field({ ...RUN, resolve: ({ runId }, _args, context, info) => loadEdge(runId, context, info) }),
);

builder.objectField(PausedTurnObject, 'run', (t) =>
  t.field({ ...RUN, resolve: ({ runId }, _args, context, info) => loadEdge(runId, context, info) }),
);
