import { readJsonObject } from '../../build/json.ts';
import type { DraftForm, DraftInput, HttpActionForm, McpServerForm } from './form.ts';

/** What a form comes to, and what in it cannot be sent at all, by the field as the service names it. */
export interface ReadForm {
  readonly input: { readonly name: string; readonly draft: DraftInput };
  readonly problems: ReadonlyMap<string, string>;
}

/** Reads a form. An empty number or schema puts the default back. */
export function readForm(form: DraftForm): ReadForm {
  const problems = new Map<string, string>();
  const read = new FieldReader(problems);
  const { instructions, titleModel, allowConversationCompletion, resourceTools } = form;
  const draft = {
    ...{ instructions, titleModel, allowConversationCompletion, resourceTools: [...resourceTools] },
    model: form.model.trim() || null,
    historyLimit: read.number('historyLimit', form.historyLimit),
    maxSteps: read.number('maxSteps', form.maxSteps),
    timeoutSeconds: read.number('timeoutSeconds', form.timeoutSeconds),
    outputSchema: read.schema('outputSchema', form.outputSchema),
    clientTools: form.clientTools.map(({ name, description, availability, inputSchema }, index) => ({
      ...{ name, description, availability },
      inputSchema: read.schema(`clientTools[${index}].inputSchema`, inputSchema),
    })),
    httpActions: form.httpActions.map((action, index) => actionInput(action, `httpActions[${index}]`, read)),
    mcpServers: form.mcpServers.map((server, index) => serverInput(server, `mcpServers[${index}]`, read)),
  };
  return { input: { name: form.name, draft }, problems };
}

function actionInput(action: HttpActionForm, path: string, read: FieldReader) {
  const { name, description, method, url, headers } = action;
  return {
    ...{ name, description, method, url },
    integration: action.integration.trim() || null,
    headers: headers.map((header) => ({ name: header.name, value: header.value })),
    inputSchema: read.schema(`${path}.inputSchema`, action.inputSchema),
    timeoutSeconds: read.number(`${path}.timeoutSeconds`, action.timeoutSeconds),
  };
}

function serverInput({ name, integration, tools, timeoutSeconds }: McpServerForm, path: string, read: FieldReader) {
  const names = tools
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return {
    ...{ name, integration },
    tools: names.length > 0 ? names : null,
    timeoutSeconds: read.number(`${path}.timeoutSeconds`, timeoutSeconds),
  };
}

/** Reads texts as what they have to be, and notes which are not. */
class FieldReader {
  readonly #problems: Map<string, string>;

  constructor(problems: Map<string, string>) {
    this.#problems = problems;
  }

  number(path: string, text: string): number | null {
    if (text.trim() === '') return null;
    if (/^\s*-?\d{1,9}\s*$/.test(text)) return Number(text);
    this.#problems.set(path, 'This has to be a whole number.');
    return null;
  }

  schema(path: string, text: string): Record<string, unknown> | null {
    if (text.trim() === '') return null;
    const read = readJsonObject(text);
    if (read.problem === undefined) return read.value;
    this.#problems.set(path, read.problem);
    return null;
  }
}
