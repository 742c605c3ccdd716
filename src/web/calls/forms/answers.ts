import type { JsonObject } from '../../../sdk/index.ts';
import { texts } from '../../texts/current.ts';
import type { Question } from '../../timeline/client-tools.ts';

/** An answer that is being entered. */
export interface AnswerDraft {
  /** The text of a text question, or of the option "Other". */
  readonly text: string;
  /** The chosen options. */
  readonly chosen: readonly string[];
  /** Whether the option "Other" is chosen. */
  readonly other: boolean;
}

export type AnswerDrafts = Readonly<Record<string, AnswerDraft>>;

export const NO_ANSWER: AnswerDraft = { text: '', chosen: [], other: false };

/** The error text of an incomplete answer. A multi-select may be empty. */
export function answerError({ text: question, type }: Question, answer: AnswerDraft): string | undefined {
  const t = texts().questions;
  const isWritten = answer.text.trim() !== '';
  if (type === 'text') return isWritten ? undefined : t.giveAnswer(question);
  if (answer.other && !isWritten) return t.writeAnswer(question);
  const isUnanswered = type === 'single_select' && !answer.other && answer.chosen.length === 0;
  return isUnanswered ? t.chooseAnswer(question) : undefined;
}

/** The output of ask_user. */
export function outputOf(questions: readonly Question[], answers: AnswerDrafts): JsonObject {
  return {
    answers: questions.map((question) => ({ id: question.id, value: answerOf(question, answers[question.id]) })),
  };
}

function answerOf({ type, options }: Question, answer: AnswerDraft = NO_ANSWER): string | string[] {
  const text = answer.text.trim();
  if (type === 'text') return text;
  // In the order of the options.
  const chosen = [...options.filter((option) => answer.chosen.includes(option)), ...(answer.other ? [text] : [])];
  return type === 'single_select' ? (chosen.at(-1) ?? '') : chosen;
}

/** The question of a field in the output, like `answers[1].value`. */
export function questionAt(questions: readonly Question[], field: string): Question | undefined {
  const [, index] = /^answers\[(\d+)\]/.exec(field) ?? [];
  return index === undefined ? undefined : questions[Number(index)];
}
