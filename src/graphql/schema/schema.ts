import type { GraphQLSchema } from 'graphql';
import { builder } from './builder.ts';
import { withDirectives } from './directives.ts';
import { withEnumValues } from './enum-values.ts';
import './scalars.ts';
import './nodes.ts';
import './conversations.ts';
import './conversation-feeds.ts';
import './conversation-lists.ts';
import './conversation-usage.ts';
import './conversation-edges.ts';
import './run-failures.ts';
import './trace-spans.ts';
import './traces.ts';
import './conversation-files.ts';
import './pending-actions.ts';
import './pending-action-lists.ts';
import './exports.ts';
import './retention.ts';
import './turns.ts';
import './rename-conversation.ts';
import './stop-turn.ts';
import './turn-feed.ts';
import './reply-stream.ts';
import './one-shot.ts';
import './triggers.ts';
import './workflows.ts';
import './workflow-changes.ts';
import './draft-turns.ts';
import './setup-progress.ts';
import './workspace-activity.ts';
import './deployments.ts';
import './deployment-changes.ts';
import './deployment-edges.ts';
import './workflow-edges.ts';
import './widget-meta.ts';
import './resources.ts';
import './me.ts';
import './sign-in.ts';
import './sessions.ts';
import './saved-views.ts';
import './members.ts';
import './invitations.ts';
import './api-keys.ts';
import './audit.ts';
import './audit-edges.ts';
import './environment-limits.ts';
import './workflow-logs.ts';
import './ratings.ts';
import './usage.ts';
import './model-prices.ts';
import './known-models.ts';
import './log-edges.ts';
import './usage-edges.ts';
import './events.ts';
import './event-stream.ts';
import './integrations.ts';
import './webhooks.ts';
import './webhook-deliveries.ts';
import './webhook-health.ts';
import './webhook-inspector.ts';
import './webhook-replays.ts';
import './event-edges.ts';
import './workspace-edges.ts';

/**
 * The schema of the REST documents: the public schema, and what only REST needs. Its results have the values of enums
 * instead of their names.
 */
export const internalSchema: GraphQLSchema = withEnumValues(builder.toSchema());

/** The schema of the GraphQL API. Strangers' documents are validated and executed against it. */
export const publicSchema: GraphQLSchema = withDirectives(builder.toSchema({ publicOnly: true }));
