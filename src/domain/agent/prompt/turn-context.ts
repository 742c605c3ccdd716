import { textOf } from '../../../contract/content.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { addUsage, MOST_TOKENS, NO_USAGE, type Usage } from '../../../contract/token-usage.ts';
import { resultFilesOf } from '../../actions/result-files.ts';
import { BudgetReachedError } from '../../budgets/budget-reached.ts';
import type { Context } from '../../context.ts';
import { isUserMessage, type SummaryEntry, type TimelineEntry } from '../../conversations/timeline.ts';
import { ModelError, type ModelStep } from '../model-port.ts';
import type { RunningTurn } from '../rows/running-turn.ts';
import { loggableError } from '../settle/failed-turn.ts';
import type { StepTracer } from './ask-model.ts';
import { handBackText } from './hand-back-text.ts';
import { storeSummary } from './store-summary.ts';
import { type Covered, summarize, summaryModelOf } from './summarize.ts';
import { contextTokensOf, estimatedTokens, FILE_TOKENS } from './tokens.ts';

/** The part of the context, in tokens, items and bytes, that the turns after a summary may take. They stay as they are. */
const KEPT_SHARE = 1 / 4;

/** The state of the turn before its next model step. */
interface NextStep {
  readonly step: number;
  readonly signal: AbortSignal;
  readonly trace: StepTracer;
}

/**
 * Keeps the conversation of one turn within the context of its model: it replaces earlier turns with a summary. With a
 * history limit the summary is only for this turn. A summary that fails never fails the turn.
 */
export class TurnContext {
  readonly #ctx: Context;
  readonly #turn: RunningTurn;
  readonly #limit: number;
  #tokens: number;
  #hasFailed = false;

  constructor(ctx: Context, turn: RunningTurn) {
    this.#ctx = ctx;
    this.#turn = turn;
    this.#limit = contextTokensOf(turn.deployment.config, turn.model);
    this.#tokens = turn.conversation.contextTokens;
  }

  /** Tokens of the last step, with its reply. Undefined: the turn has a history limit. */
  get tokens(): number | undefined {
    return this.#turn.historyLimit === null ? this.#tokens : undefined;
  }

  /** Takes the provider's own count of a step. */
  count({ inputTokens, outputTokens }: Pick<ModelStep, 'inputTokens' | 'outputTokens'>): void {
    // After a failed summary, the step got only a part of the conversation.
    if (inputTokens > 0 && !this.#hasFailed) this.#tokens = Math.min(inputTokens + outputTokens, MOST_TOKENS);
  }

  /** The conversation for the next step: with a summary if the last step was too long. @throws {LeaseLostError} */
  async fit(entries: readonly TimelineEntry[], next: NextStep): Promise<readonly TimelineEntry[]> {
    if (this.#turn.historyLimit !== null || this.#hasFailed) return entries;
    const isCut = entries.filter(({ kind }) => kind !== 'summary').length >= LIMITS.contextItems;
    const isHeavy = inlineBytes(entries) > LIMITS.contextInlineBytes;
    if (!isCut && !isHeavy && !this.#isFull(entries)) return entries;
    return this.#shortened(entries, this.#limit * KEPT_SHARE, next);
  }

  /** Some providers count nothing. */
  #isFull(entries: readonly TimelineEntry[]): boolean {
    if (this.#tokens > 0) return this.#tokens > this.#limit;
    let left = this.#limit;
    return entries.some((entry) => {
      left -= tokensOf(entry);
      return left < 0;
    });
  }

  /** The current turn with a summary of the earlier ones, if there are any. @throws {LeaseLostError} */
  shorten(entries: readonly TimelineEntry[], next: NextStep): Promise<readonly TimelineEntry[]> {
    if (!this.#hasFailed) return this.#shortened(entries, 0, next);
    this.#turn.spending?.shorten();
    return Promise.resolve(this.#window(entries));
  }

  async #shortened(
    entries: readonly TimelineEntry[],
    keptTokens: number,
    next: NextStep,
  ): Promise<readonly TimelineEntry[]> {
    const kept = keptFrom(entries, keptTokens);
    const last = entries[kept - 1];
    if (!last || last.kind === 'summary') return entries;
    const isStored = this.#turn.historyLimit === null;
    const earlier = entries.find((entry): entry is SummaryEntry => entry.kind === 'summary');
    // Without a summary everything is sent, and a history limit leaves out what is before the first item.
    const after = earlier?.lastItemId ?? (isStored ? 0n : (entries[0]?.id ?? 0n) - 1n);
    const summary = await this.#summarized({ earlier: earlier?.text, after, through: last.id }, next);
    this.#turn.spending?.shorten();
    return summary ? [summary, ...entries.slice(kept)] : this.#window(entries);
  }

  /** Undefined: the summary failed. */
  async #summarized(covered: Covered, { step, signal, trace }: NextStep): Promise<SummaryEntry | undefined> {
    const { process } = this.#ctx.services;
    const turn = this.#turn;
    const startedMs = process.monotonicMs();
    const model = summaryModelOf(turn);
    let usage = NO_USAGE;
    const count = (spent: Usage) => {
      usage = addUsage(usage, spent);
    };
    try {
      const { firstItemId, ...written } = await summarize(this.#ctx, turn, covered, { signal, trace, count });
      const place = { firstItemId: String(firstItemId), lastItemId: String(covered.through) };
      const stored = turn.historyLimit === null ? { ...written, ...place, model } : undefined;
      const id = await storeSummary(this.#ctx, turn, { model, usage, stored }, { step, startedMs });
      process.observer.summaryEnded('written');
      this.#tokens = 0;
      return { kind: 'summary', id, runId: turn.runId, step, text: written.text, lastItemId: covered.through };
    } catch (error) {
      const isOwn = error instanceof ModelError || error instanceof BudgetReachedError;
      if (isOwn && usage !== NO_USAGE) await storeSummary(this.#ctx, turn, { model, usage }, { step, startedMs });
      if (signal.aborted || !(error instanceof ModelError)) throw error;
      this.#hasFailed = true;
      process.observer.summaryEnded('failed');
      const facts = { request_id: this.#ctx.request.id, run_id: turn.runId, conversation_id: turn.conversation.id };
      process.log.warn({ ...facts, ...loggableError(error) }, 'a conversation could not be summarized');
      return undefined;
    }
  }

  /** The latest message pairs, as with the context WINDOW, after an earlier summary if there is one. */
  #window(entries: readonly TimelineEntry[]): readonly TimelineEntry[] {
    if (this.#turn.historyLimit !== null) return entries;
    const starts = entries.flatMap((entry, index) => (isUserMessage(entry) ? [index] : []));
    const first = starts.at(-1 - this.#turn.deployment.config.historyLimit);
    return entries.filter(({ kind }, index) => kind === 'summary' || index >= (first ?? 0));
  }
}

/** The index of the first turn that stays as it is: the current one, and those before it for which there is room. */
function keptFrom(entries: readonly TimelineEntry[], tokens: number): number {
  let kept = entries.findLastIndex(isUserMessage);
  let left = tokens;
  const first = Math.max(0, entries.length - LIMITS.contextItems * KEPT_SHARE);
  let bytesLeft = LIMITS.contextInlineBytes * KEPT_SHARE;
  for (let index = kept - 1; index >= first && left > 0 && bytesLeft > 0; index -= 1) {
    const entry = entries[index] as TimelineEntry;
    left -= tokensOf(entry);
    bytesLeft -= inlineBytes([entry]);
    if (left > 0 && bytesLeft > 0 && isUserMessage(entry)) kept = index;
  }
  return kept;
}

/** The bytes of files that are parts of the messages, as base64. */
function inlineBytes(entries: readonly TimelineEntry[]): number {
  const parts = entries.flatMap((entry) => (entry.kind === 'message' ? entry.content : []));
  return parts.reduce((sum, part) => sum + (part.type === 'data' ? part.data.length : 0), 0);
}

function tokensOf(entry: TimelineEntry): number {
  if (entry.kind === 'summary') return estimatedTokens(entry.text);
  if (entry.kind === 'handling') return estimatedTokens(handBackText(entry.change));
  if (entry.kind !== 'message') {
    return estimatedTokens(JSON.stringify([entry.arguments, entry.output])) + resultFilesOf(entry).length * FILE_TOKENS;
  }
  const files = entry.content.filter(({ type }) => type !== 'text').length;
  return estimatedTokens(textOf(entry.content)) + files * FILE_TOKENS;
}
