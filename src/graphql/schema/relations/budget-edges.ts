import { NO_DEFAULTS } from '../../../domain/budgets/default-budgets.ts';
import { CONVERSATION_BUDGETS, DEPLOYMENT_BUDGETS } from '../../../domain/related/lists.ts';
import { Budget, BudgetConnection } from '../budgets/budgets.ts';
import { builder } from '../builder.ts';
import { Conversation } from '../conversations/conversations.ts';
import { Run } from '../conversations/runs.ts';
import { loadConnection, loadEdge } from '../edges.ts';
import { Deployment } from '../workflows/deployments.ts';

const BUDGETS = { type: Budget, nullable: true, access: { scope: 'budgets:read' } } as const;

builder.prismaObjectFields(Budget, (t) => ({
  deployment: t.field({
    type: Deployment,
    nullable: true,
    access: { scope: 'workflows:read' },
    description:
      'The deployment that it applies to, or the deployment of its end user or visitors. Null: it has another place, or the caller lacks the scope. Scope: workflows:read.',
    resolve: ({ deploymentId }, _args, context, info) => loadEdge(deploymentId, context, info),
  }),
  conversation: t.field({
    type: Conversation,
    nullable: true,
    access: { scope: 'conversations:read' },
    description:
      'The conversation that it applies to. Null: it has another place, or the caller lacks the scope. Scope: conversations:read.',
    resolve: ({ conversationId }, _args, context, info) => loadEdge(conversationId, context, info),
  }),
  run: t.field({
    type: Run,
    nullable: true,
    access: { scope: 'conversations:read' },
    description:
      'The run that it applies to. Null: it has another place, or the caller lacks the scope. Scope: conversations:read.',
    resolve: ({ runId }, _args, context, info) => loadEdge(runId, context, info),
  }),
}));

builder.prismaObjectField(Deployment, 'budgets', (t) =>
  t.connection(
    {
      ...BUDGETS,
      description:
        'Its budgets in the environment, newest first, without default budgets. Null: the caller lacks the scope. Scope: budgets:read.',
      resolve: ({ id }, args, context, info) =>
        loadConnection(DEPLOYMENT_BUDGETS, id, args, context, info, NO_DEFAULTS),
    },
    BudgetConnection,
  ),
);

builder.prismaObjectField(Conversation, 'budgets', (t) =>
  t.connection(
    {
      ...BUDGETS,
      description: 'Its own budgets, newest first. Null: the caller lacks the scope. Scope: budgets:read.',
      resolve: ({ id }, args, context, info) => loadConnection(CONVERSATION_BUDGETS, id, args, context, info),
    },
    BudgetConnection,
  ),
);
