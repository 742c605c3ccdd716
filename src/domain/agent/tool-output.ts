import { z } from 'zod';
import { type FieldPath, ServiceError } from '../../contract/errors.ts';
import type { CallEntry } from '../conversations/timeline.ts';
import { reason } from '../input.ts';
import { messageContent } from '../message-content.ts';
import { ASK_USER, UPLOAD_DOCUMENT } from './built-in-tools.ts';
import type { Question } from './calls.ts';

type Output = Readonly<Record<string, unknown>>;

/**
 * The output of a client tool as the rules of SPEC 4.1 (4 to 6) want it. `param` is where it stands in the request.
 * @throws {ServiceError} invalid_tool_result
 */
export function checkedOutput(call: Pick<CallEntry, 'name' | 'arguments'>, output: Output, param: FieldPath): Output {
  if (call.name === ASK_USER.name) return checkAnswers(call.arguments.questions as readonly Question[], output, param);
  if (call.name === UPLOAD_DOCUMENT.name) return checkUpload(output, param);
  return output;
}

export function invalidResult(message: string, param: FieldPath): ServiceError {
  return new ServiceError('invalid_tool_result', message, { param });
}

const answers = z.object({
  answers: z.array(
    z.object({ id: z.string('must be the id of a question'), value: z.unknown() }),
    'must be an array of {id, value}',
  ),
});

function checkAnswers(questions: readonly Question[], output: Output, param: FieldPath): Output {
  const given = parse(answers, output, param).answers;
  const at = (index: number, field: string) => [...param, 'answers', index, field];
  const seen = new Set<string>();
  for (const [index, { id, value }] of given.entries()) {
    const question = questions.find((asked) => asked.id === id);
    if (!question) throw invalidResult('{param} is not the id of a question that was asked.', at(index, 'id'));
    if (seen.has(id)) throw invalidResult('{param} answers a question that is answered before it.', at(index, 'id'));
    seen.add(id);
    const problem = answerProblem(question, value);
    if (problem) throw invalidResult(`{param} ${problem}.`, at(index, 'value'));
  }
  const open = questions.find(({ id }) => !seen.has(id));
  if (open) throw invalidResult(`{param} must answer the question ${open.id} too.`, [...param, 'answers']);
  return output;
}

/** Text and single choices are one string; options are suggestions, because people answer "other" (WIRE 7). */
function answerProblem({ input_type }: Question, value: unknown): string | undefined {
  if (input_type === 'multi_select') {
    const isStrings = Array.isArray(value) && value.every((item) => typeof item === 'string');
    return isStrings ? undefined : 'must be an array of strings';
  }
  return typeof value === 'string' && value.trim() !== '' ? undefined : 'must be a non-empty string';
}

/** Parts travel as the client wrote them, in REST's names; the stored output stays what was sent. */
function fromWire(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  const { mime_type: mimeType, file_uri: fileUri, ...rest } = part as Output;
  return { mimeType, fileUri, ...rest };
}

const upload = z.object({
  content: z.preprocess((parts) => (Array.isArray(parts) ? parts.map(fromWire) : parts), messageContent),
});

function checkUpload(output: Output, param: FieldPath): Output {
  const { content } = parse(upload, output, param);
  if (content.every(({ type }) => type === 'text')) {
    throw invalidResult('{param} must hold at least one file part: url with mime_type and file_uri, or data.', [
      ...param,
      'content',
    ]);
  }
  return output;
}

function parse<Schema extends z.ZodType>(schema: Schema, output: Output, param: FieldPath): z.output<Schema> {
  const parsed = schema.safeParse(output, { error: reason });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = (issue?.path ?? []).filter((step) => typeof step !== 'symbol').map(wireName);
  throw invalidResult(`{param} ${issue?.message ?? 'is not valid'}.`, [...param, ...path]);
}

function wireName(step: string | number): string | number {
  if (step === 'mimeType') return 'mime_type';
  return step === 'fileUri' ? 'file_uri' : step;
}
