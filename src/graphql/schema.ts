import type { GraphQLSchema } from 'graphql';
import { builder } from './builder.ts';
import './scalars.ts';
import './conversations.ts';
import './conversation-lists.ts';
import './turns.ts';
import './reply-stream.ts';
import './one-shot.ts';
import './triggers.ts';
import './workflows.ts';
import './workflow-changes.ts';
import './deployments.ts';
import './deployment-changes.ts';
import './widget-meta.ts';
import './resources.ts';
import './sessions.ts';
import './api-keys.ts';
import './audit.ts';
import './usage.ts';
import './events.ts';
import './event-stream.ts';
import './integrations.ts';
import './webhooks.ts';
import './webhook-deliveries.ts';

/** The one schema: what every door offers. */
export const schema: GraphQLSchema = builder.toSchema();
