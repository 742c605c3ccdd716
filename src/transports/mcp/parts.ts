import type { OpenRequest } from '../../operation/operation-request.ts';
import type { Pipeline } from '../../operation/pipeline.ts';
import type { PublishedCompiler } from '../../rest/published/compiler.ts';
import type { Route } from '../../rest/route.ts';
import type { OwnTool } from './own-tool.ts';
import type { Tool } from './tool.ts';
import type { TurnTool } from './turn-tools.ts';

/** What every request to the MCP server needs. */
export interface McpParts {
  readonly pipeline: Pipeline;
  readonly tools: ReadonlyMap<string, Tool>;
  /** The tools that are no documents. */
  readonly ownTools: ReadonlyMap<string, OwnTool>;
  readonly compiler: PublishedCompiler;
  readonly turnTools: ReadonlyMap<string, TurnTool>;
  /** Stops a turn. */
  readonly stop: Route;
  /** The version of the service. */
  readonly version: string;
}

/** A message of a caller. */
export interface Incoming {
  readonly opened: OpenRequest;
  readonly message: unknown;
  /** The deployment whose end users have the address. Undefined: the address is `/mcp`. */
  readonly deploymentId: string | undefined;
  /** The `Mcp-Session-Id` of a client of a revision before 2026-07-28. */
  readonly session: string | undefined;
  /** Whether the client reads notifications before the result. */
  readonly acceptsStream: boolean;
}
