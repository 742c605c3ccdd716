import type { GraphQLSchema } from 'graphql';
import { ServiceError } from '../../contract/errors.ts';
import type { Route } from '../../rest/route.ts';
import { type ObjectSchema, objectOf } from './input-schema.ts';
import { type Tool, toolOf } from './tool.ts';
import type { Arguments } from './tool-input.ts';

/** The documents of REST that a turn uses. */
export interface TurnRoutes {
  readonly run: Route;
  /** The events of the turn, for its progress. */
  readonly follow: Route;
  readonly stop: Route;
}

/** A tool that starts or continues a turn. */
export interface TurnTool extends Tool {
  readonly routes: TurnRoutes;
}

/** Only the service, or the other tool, sets these fields of the input. */
const ASK_OMITS: ReadonlySet<string> = new Set(['tool_results', 'background', 'start_if_missing']);
const RESUME_HAS = ['deployment_id', 'conversation_id', 'tool_results', 'client_capabilities', 'idempotency_key'];

/** The tools for turns. A turn that waits for the client ends the call: another call has the results. */
export function turnTools(schema: GraphQLSchema, routes: TurnRoutes): ReadonlyMap<string, TurnTool> {
  const ask = toolOf(schema, routes.run, {
    name: 'ask_deployment',
    title: 'Ask a deployment',
    description:
      'Sends a message to a deployment, and returns its reply. `conversation_id` continues a conversation. If the result has `handled_by`, a person answers later. If the result has `pending_actions`, the turn waits: send their results with resume_conversation.',
    destructive: false,
  });
  const resume = toolOf(schema, routes.run, {
    name: 'resume_conversation',
    title: 'Resume a conversation',
    description:
      'Sends the results of all pending actions of a conversation, and returns the reply. The first accepted results win. The result of approve_action is `{"approved": true}` or `false`, and only a person may decide it.',
    destructive: false,
  });
  const ofAsk = Object.keys(ask.inputSchema.properties ?? {}).filter((name) => !ASK_OMITS.has(name));
  const tools = [
    { ...ask, inputSchema: pick(ask.inputSchema, ofAsk) },
    { ...resume, inputSchema: pick(resume.inputSchema, RESUME_HAS, RESUME_HAS.slice(0, 3)) },
  ];
  return new Map(tools.map((tool) => [tool.name, { ...tool, outputSchema: OUTPUT, routes }]));
}

function pick(
  { properties = {}, required = [] }: ObjectSchema,
  names: readonly string[],
  alsoRequired: readonly string[] = [],
): ObjectSchema {
  const own = Object.entries(properties).filter(([name]) => names.includes(name));
  return objectOf(
    Object.fromEntries(own),
    [...new Set([...required, ...alsoRequired])].filter((name) => names.includes(name)),
  );
}

/** The fields of a turn that a model needs. REST has more. */
const OUTPUT: ObjectSchema = {
  type: 'object',
  properties: {
    conversation_id: { type: 'string' },
    run_id: { type: 'string' },
    run_status: { type: 'string' },
    content: { type: ['string', 'null'] },
    // Only if the message was stored for a person.
    handled_by: { type: 'string' },
    pending_actions: {
      type: 'array',
      items: { type: 'object', properties: { call_id: {}, name: {}, arguments: {}, expires_at: {} } },
    },
  },
};

/** @throws {ServiceError} invalid_request for an argument of the other tool */
export function requireOwn({ inputSchema: { properties = {} } }: TurnTool, args: Arguments): void {
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(properties, name));
  if (unknown === undefined) return;
  throw new ServiceError('invalid_request', '{param} is not an argument of this tool.', { param: [unknown] });
}
