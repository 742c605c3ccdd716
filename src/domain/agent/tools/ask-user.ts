import { z } from 'zod';
import type { QuestionType } from '../../../contract/client-tools.ts';
import { invalidResult, type OutputCheck, parseOutput, type ToolOutput } from './output-problem.ts';

interface Question {
  readonly id: string;
  readonly input_type: QuestionType;
  readonly options?: readonly string[];
}

// The arguments of stored calls have passed the check against the tool's schema.
function questionsOf({ questions }: ToolOutput): readonly Question[] {
  return questions as readonly Question[];
}

/** Checks rules that JSON Schema cannot express: IDs are unique, and a select question has options. */
export function questionsProblem(args: ToolOutput): string | undefined {
  const questions = questionsOf(args);
  if (new Set(questions.map(({ id }) => id)).size < questions.length) return 'question ids must be unique';
  const empty = questions.find(({ input_type, options }) => input_type !== 'text' && !options?.length);
  return empty && `question ${empty.id} needs options`;
}

const answersSchema = z.object({
  answers: z.array(
    z.object({ id: z.string('must be the id of a question'), value: z.unknown() }),
    'must be an array of {id, value}',
  ),
});

/** Each question has exactly one answer. @throws {ServiceError} invalid_tool_result */
export const checkAnswers: OutputCheck = (args, output, param) => {
  const questions = questionsOf(args);
  const { answers } = parseOutput(answersSchema, output, param);
  const at = (index: number, field: string) => [...param, 'answers', index, field];
  const answered = new Set<string>();
  for (const [index, { id, value }] of answers.entries()) {
    const question = questions.find((one) => one.id === id);
    if (!question) throw invalidResult('{param} is not the id of a question that was asked.', at(index, 'id'));
    if (answered.has(id)) throw invalidResult('{param} answers a question a second time.', at(index, 'id'));
    answered.add(id);
    const problem = answerProblem(question, value);
    if (problem) throw invalidResult(`{param} ${problem}.`, at(index, 'value'));
  }
  const open = questions.find(({ id }) => !answered.has(id));
  if (open) throw invalidResult(`{param} must also answer the question ${open.id}.`, [...param, 'answers']);
};

/** Options are suggestions, because people answer "other". So a single choice can be any text. */
function answerProblem({ input_type }: Question, value: unknown): string | undefined {
  if (input_type === 'multi_select') {
    const isStrings = Array.isArray(value) && value.every((item) => typeof item === 'string');
    return isStrings ? undefined : 'must be an array of strings';
  }
  return typeof value === 'string' && value.trim() !== '' ? undefined : 'must be a non-empty string';
}
