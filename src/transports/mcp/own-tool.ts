import type { Annotations } from '../../operation/publishing.ts';
import type { ObjectSchema } from './input-schema.ts';
import type { Call } from './tool-call.ts';
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
  run(args: Arguments, call: Call): Promise<object>;
}

/** What a caller needs for the tools that are no documents. */
export const DOCUMENTS_READ = { roots: [{ access: { scope: 'documents:read' } }] } as const;
