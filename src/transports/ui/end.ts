import type { UIMessageChunk } from 'ai';
import { explainFailure } from '../../contract/run-failures.ts';
import type { FinishReason } from '../../contract/statuses.ts';
import type { TurnEnd } from './feed-items.ts';

/** The last chunks of a turn. */
export function endOf({ run_status: status, finish_reason: reason, error_code: code }: TurnEnd): UIMessageChunk[] {
  const finishReason = reason && FINISH_REASONS[reason];
  if (status === 'completed') return [{ type: 'finish', ...(finishReason && { finishReason }) }];
  if (status !== 'interrupted') return [{ type: 'error', errorText: failureText(code) }];
  return [
    { type: 'abort', reason: 'stopped' },
    { type: 'finish', finishReason: 'other' },
  ];
}

const FINISH_REASONS = {
  stop: 'stop',
  length: 'length',
  content_filter: 'content-filter',
  max_steps: 'other',
  stopped: 'other',
  budget: 'other',
} as const satisfies Record<FinishReason, string>;

/** A sentence for people, with no more than the code of the failure says. A turn without a code has expired. */
function failureText(code: string | null): string {
  const { message } = explainFailure(code ?? 'action_expired', '');
  return `${message} Your message is stored. Send the next one.`;
}
