import { UPLOAD_TOOL } from '../../../contract/client-tools.ts';
import type { Context } from '../../context.ts';
import { fileIdsOf, requireUsableFiles } from '../../files/use.ts';
import { uploadedContent } from '../tools/upload-document.ts';
import type { AcceptedResult } from './judge-resume.ts';
import type { ResumeState } from './resume-state.ts';

type State = Pick<ResumeState, 'conversation' | 'calls'>;

function contentOf({ calls }: Pick<State, 'calls'>, { callId, output }: AcceptedResult) {
  const call = calls.find((candidate) => candidate.callId === callId);
  return call?.name === UPLOAD_TOOL ? uploadedContent(output) : [];
}

/**
 * Requires that the caller can use the uploaded files in the results of `upload_document`.
 * @throws {ServiceError} invalid_tool_result
 */
export async function requireResultFiles(
  ctx: Context,
  state: State,
  results: readonly AcceptedResult[],
): Promise<void> {
  for (const [index, result] of results.entries()) {
    const content = contentOf(state, result);
    await requireUsableFiles(
      ctx,
      { content, conversationId: state.conversation.id },
      {
        code: 'invalid_tool_result',
        pathOf: (part) => ['toolResults', index, 'output', 'content', part, 'file_uri'],
      },
    );
  }
}

/** The IDs of these files. */
export function resultFileIds(state: Pick<State, 'calls'>, results: readonly AcceptedResult[]): string[] {
  return [...new Set(results.flatMap((result) => fileIdsOf(contentOf(state, result))))];
}
