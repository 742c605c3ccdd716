import type { Pipeline } from '../../operation/pipeline.ts';
import type { PublishedCompiler } from '../../rest/published/compiler.ts';
import type { Route } from '../../rest/route.ts';
import type { Tool } from './tool.ts';

/** What every request to the MCP server needs. */
export interface McpParts {
  readonly pipeline: Pipeline;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly compiler: PublishedCompiler;
  /** Stops a turn. */
  readonly stop: Route;
  /** The version of the service. */
  readonly version: string;
}
