import { z } from 'zod';
import type { MessageContent } from '../../../contract/content.ts';
import { messageContent } from '../../message-content.ts';
import { invalidResult, type OutputCheck, parseOutput, type ToolOutput } from './output-problem.ts';

/** Outputs are stored as the client sent them, with the REST names of the part fields. */
function fromWire(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  const { mime_type: mimeType, file_uri: fileUri, ...rest } = part as ToolOutput;
  return { mimeType, fileUri, ...rest };
}

const uploadSchema = z.object({
  content: z.preprocess((parts) => (Array.isArray(parts) ? parts.map(fromWire) : parts), messageContent),
});

/** The output has at least one file. @throws {ServiceError} invalid_tool_result */
export const checkUpload: OutputCheck = (_args, output, param) => {
  const { content } = parseOutput(uploadSchema, output, param);
  if (content.every(({ type }) => type === 'text')) {
    throw invalidResult('{param} must hold at least one file part: url with mime_type and file_uri, or data.', [
      ...param,
      'content',
    ]);
  }
};

/** The parts of an output that `checkUpload` has accepted. */
export function uploadedContent(output: ToolOutput): MessageContent {
  const parsed = uploadSchema.safeParse(output);
  return parsed.success ? parsed.data.content : [];
}
