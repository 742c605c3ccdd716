import {
  type FilePart,
  type ModelMessage,
  RESULT_FILES,
  type TextPart,
  type ToolResultPart,
} from '../domain/agent/model-port.ts';
import type { FileRules } from './file-rules.ts';

type Parts = readonly (TextPart | FilePart)[];

/**
 * Puts the prepared files of results where the provider takes them: in the result itself, or in a message of the user after
 * all results of the step, which names the tool before its files.
 */
export function placeResultFiles(messages: readonly ModelMessage[], rules: FileRules): ModelMessage[] {
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role !== 'tool' || !message.content.some(({ files }) => files)) return [message];
    const results = message.content.map((part) => placed(part, rules));
    const placedMessage = { ...message, content: results.map(({ part }) => part) };
    const withFiles = results.filter(({ following }) => following.length > 0);
    if (withFiles.length === 0) return [placedMessage];
    const content = withFiles.flatMap(({ part: { toolName }, following }, index): Parts => {
      const text = index === 0 ? `${RESULT_FILES}\n${toolName}:` : `${toolName}:`;
      return [{ type: 'text', text }, ...following];
    });
    return [placedMessage, { role: 'user', content }];
  });
}

/** A failed result keeps its form, which says that it failed, so its files follow. */
function placed(
  { files = [], ...part }: ToolResultPart,
  { inResults }: FileRules,
): { readonly part: ToolResultPart; readonly following: Parts } {
  const isInside = (file: TextPart | FilePart) =>
    inResults.size > 0 && part.output.type === 'json' && (file.type === 'text' || inResults.has(file.mediaType));
  const inside = files.filter(isInside);
  const following = files.filter((file) => !isInside(file));
  return { part: { ...part, ...(inside.length > 0 && { files: inside }) }, following };
}
