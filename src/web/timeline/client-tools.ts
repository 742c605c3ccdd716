import type { ContentPart, JsonObject, MessageContent } from '../../sdk/index.ts';

/** A question of ask_user. */
export interface Question {
  readonly id: string;
  readonly text: string;
  readonly type: 'text' | 'single_select' | 'multi_select';
  readonly options: readonly string[];
}

export type Answer = string | readonly string[];

/** Whether a value of JSON is an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const objectsOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const stringsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The questions in the arguments of ask_user. The service has checked them against the tool's schema. */
export function questionsOf({ questions }: JsonObject): readonly Question[] {
  return objectsOf(questions).map(({ id, question, input_type, options }) => ({
    id: textOf(id),
    text: textOf(question),
    type: input_type === 'single_select' || input_type === 'multi_select' ? input_type : 'text',
    options: [...new Set(stringsOf(options))],
  }));
}

/** The answers in the output of ask_user, by question ID. */
export function answersOf(output: JsonObject | null): ReadonlyMap<string, Answer> {
  return new Map(
    objectsOf(output?.answers).map(({ id, value }) => [
      textOf(id),
      Array.isArray(value) ? stringsOf(value) : textOf(value),
    ]),
  );
}

/** The arguments of upload_document. */
export interface UploadRequest {
  readonly prompt: string;
  /** The accepted MIME types. Empty: all types. */
  readonly accept: readonly string[];
  readonly multiple: boolean;
}

export function uploadRequestOf({ prompt, accept, multiple }: JsonObject): UploadRequest {
  return { prompt: textOf(prompt), accept: stringsOf(accept), multiple: multiple === true };
}

/** A call that waits for an approval: the arguments of approve_action. */
export interface ApprovalRequest {
  readonly tool: string;
  readonly description: string;
  readonly args: JsonObject;
  /** The schema of the arguments. */
  readonly schema: JsonObject;
  /** Undefined: the service hides the request, because the viewer cannot answer it. */
  readonly approver: 'client' | 'member' | 'either' | undefined;
}

export function approvalOf(request: JsonObject): ApprovalRequest {
  const { tool, description, arguments: args, input_schema: schema, approver } = request;
  return {
    tool: textOf(tool),
    description: textOf(description),
    args: isObject(args) ? args : {},
    schema: isObject(schema) ? schema : {},
    approver: approver === 'client' || approver === 'member' || approver === 'either' ? approver : undefined,
  };
}

/** The decision in the output of approve_action. */
export function decisionOf({ approved, arguments: changed, reason }: JsonObject) {
  return { isApproved: approved === true, changed: isObject(changed) ? changed : undefined, reason: textOf(reason) };
}

/** The parts in the output of upload_document, which has the names of the REST API. */
export function partsOf(output: JsonObject | null): MessageContent {
  return objectsOf(output?.content).flatMap((part): ContentPart[] => {
    const { type } = part;
    const [mimeType, fileUri, data] = [textOf(part.mime_type), textOf(part.file_uri), textOf(part.data)];
    if (type === 'text') return [{ type, text: textOf(part.text) }];
    if (type === 'data') return [{ type, mimeType, data }];
    if (type === 'url' || type === 'image' || type === 'video' || type === 'audio')
      return [{ type, mimeType, fileUri }];
    return [];
  });
}

/** The files in the output of a tool of an MCP server. */
export function resultFilesOf(output: unknown): MessageContent {
  return objectsOf(isObject(output) ? output.files : undefined).map(({ mime_type, file_uri }) => {
    return { type: 'url', mimeType: textOf(mime_type), fileUri: textOf(file_uri) };
  });
}
