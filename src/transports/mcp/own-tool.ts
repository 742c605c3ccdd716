import type { OpenRequest } from '../../operation/operation-request.ts';
import type { Pipeline } from '../../operation/pipeline.ts';
import type { Annotations } from '../../operation/publishing.ts';
import type { JsonSchema } from '../../rest/json-schema.ts';
import type { ObjectSchema } from './input-schema.ts';
import type { Arguments } from './tool-input.ts';

/** A tool that is no document of REST. Callers need the scope `documents:read`. */
export interface OwnTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: Annotations;
  /** @throws {ServiceError} */
  run(args: Arguments, call: OwnCall): Promise<object>;
}

export interface OwnCall {
  readonly pipeline: Pipeline;
  readonly opened: OpenRequest;
}

/** The schema of an object with these properties. */
export function objectOf(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): ObjectSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}
