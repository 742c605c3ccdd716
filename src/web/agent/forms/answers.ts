import type { JsonObject } from '../../../sdk/index.ts';
import type { Question } from '../../timeline/client-tools.ts';

/** An answer as it is being made. */
export interface AnswerDraft {
  /** Of a text question; of a choice, what is written for "something else". */
  readonly text: string;
  /** Options that are chosen. */
  readonly chosen: readonly string[];
  /** Whether something else is chosen. */
  readonly other: boolean;
}

export type AnswerDrafts = Readonly<Record<string, AnswerDraft>>;

export const NO_ANSWER: AnswerDraft = { text: '', chosen: [], other: false };

/** Why an answer cannot be sent, naming its question; undefined where it can. Many may be chosen, and none (SPEC 4.1). */
export function faultOf({ text: question, type }: Question, answer: AnswerDraft): string | undefined {
  const isWritten = answer.text.trim() !== '';
  if (type === 'text') return isWritten ? undefined : `Answer “${question}”.`;
  if (answer.other && !isWritten) return `Write what else you answer to “${question}”.`;
  if (type === 'single_select' && !answer.other && answer.chosen.length === 0)
    return `Choose an answer to “${question}”.`;
  return undefined;
}

/** The output of ask_user (SPEC 4.1). */
export function outputOf(questions: readonly Question[], answers: AnswerDrafts): JsonObject {
  return {
    answers: questions.map((question) => ({ id: question.id, value: answerOf(question, answers[question.id]) })),
  };
}

function answerOf({ type, options }: Question, answer: AnswerDraft = NO_ANSWER): string | string[] {
  const text = answer.text.trim();
  if (type === 'text') return text;
  // In the order in which they were offered.
  const chosen = [...options.filter((option) => answer.chosen.includes(option)), ...(answer.other ? [text] : [])];
  return type === 'single_select' ? (chosen.at(-1) ?? '') : chosen;
}

/** Which question a field of the output is of, like `answers[1].value`. */
export function questionAt(questions: readonly Question[], field: string): Question | undefined {
  const [, index] = /^answers\[(\d+)\]/.exec(field) ?? [];
  return index === undefined ? undefined : questions[Number(index)];
}
