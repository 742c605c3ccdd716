import type { OpenRequest } from '../../operation/operation-request.ts';
import type { Pipeline } from '../../operation/pipeline.ts';

/** A call of a tool. */
export interface Call {
  readonly pipeline: Pipeline;
  readonly opened: OpenRequest;
  /** The published document that the tool calls. */
  readonly documentId?: string | undefined;
}
