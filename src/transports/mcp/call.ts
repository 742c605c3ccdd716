import type { CallToolResult } from '@modelcontextprotocol/server';
import { GraphQLError } from 'graphql';
import { type FieldPath, formatPath } from '../../contract/errors.ts';
import { type WireError, wireError, wireErrorOf } from '../../operation/errors.ts';
import type { OperationRequest } from '../../operation/operation-request.ts';
import { countedRun, requireDocumentsRead } from '../../operation/published-documents.ts';
import { nameField } from '../../rest/bind.ts';
import { operationOf } from '../../rest/handle.ts';
import { publishedOperation } from '../../rest/published/operation.ts';
import { bodyOf, errorBody } from '../../rest/reply.ts';
import { headersOf } from '../../rest/shape.ts';
import { argumentName } from './input-schema.ts';
import { ownArguments } from './own-arguments.ts';
import type { OwnTool } from './own-tool.ts';
import type { Tool } from './tool.ts';
import type { Call } from './tool-call.ts';
import { type Arguments, publishedArguments, routeInput } from './tool-input.ts';

/** Runs a tool through the pipeline. Errors are results that the model reads, with the fields of a REST error. */
export async function callTool(tool: Tool, args: Arguments, call: Call): Promise<CallToolResult> {
  const { pipeline, opened, documentId } = call;
  const { requestId } = opened.exchange;
  try {
    const operation = toolOperation(tool, args);
    const outcome = await countedRun(opened, documentId, () => pipeline.run(opened, operation));
    if (outcome.kind === 'stream') throw new Error(`${tool.name} must not be a subscription.`);
    const [error] = outcome.result.errors ?? [];
    if (error) return failure(wireErrorOf(error), requestId);
    const headers = Object.entries(headersOf(outcome.result.data, tool.route.shape));
    const values = Object.fromEntries(headers.map(([name, value]) => [argumentName(name), value]));
    // A mutation without a body has only happened.
    const isEmpty = tool.route.directive.status === 204 && tool.route.published !== undefined;
    return success({ ...(isEmpty ? {} : (bodyOf(tool.route, outcome.result) as object)), ...values });
  } catch (error) {
    const { log } = pipeline.services.process;
    return failure(wireError(error, { log, requestId, nameField: argumentOf(tool) }), requestId);
  }
}

/** Runs a tool that is no document. Its errors have the same form. */
export async function callOwnTool(tool: OwnTool, args: Arguments, call: Call): Promise<CallToolResult> {
  const { pipeline, opened } = call;
  const { requestId } = opened.exchange;
  try {
    requireDocumentsRead(opened);
    return success(await tool.run(ownArguments(tool.inputSchema, args), call));
  } catch (error) {
    const { log } = pipeline.services.process;
    // The pipeline has described its errors.
    const wire = error instanceof GraphQLError ? wireErrorOf(error) : wireError(error, { log, requestId });
    return failure(wire, requestId);
  }
}

function toolOperation(tool: Tool, args: Arguments): OperationRequest {
  if (tool.route.published) return publishedOperation(tool.route, publishedArguments(tool, args));
  const input = routeInput(tool, args);
  const operation = operationOf(tool.route, input);
  // Unlike a REST body, the arguments of a tool have a schema without further properties.
  return { ...operation, nameField: argumentOf(tool), style: { ...operation.style, ignoresUnknown: false } };
}

/** The name of the argument in an error. Only headers of REST begin with a capital letter. */
const argumentOf =
  ({ route }: Tool) =>
  (path: FieldPath): string => {
    const name = route.published ? formatPath(path) : nameField(route, path);
    return /^[A-Z]/.test(name) ? argumentName(name) : name;
  };

export function success(body: object): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(body) }],
    structuredContent: body as Record<string, unknown>,
  };
}

/** Not structured: a client would check it against the schema of the result. */
export function failure(error: WireError, requestId: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(errorBody(error, requestId)) }] };
}
