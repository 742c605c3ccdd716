import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';

/** The extension of the protocol for calls that end later. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

interface Capabilities {
  readonly elicitation?: { readonly form?: unknown; readonly url?: unknown };
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** What a client of 2026 declares with each request. Earlier clients declare nothing here. */
function capabilitiesOf(envelope: unknown): Capabilities {
  const { [CLIENT_CAPABILITIES_META_KEY]: capabilities } = (envelope ?? {}) as Readonly<Record<string, Capabilities>>;
  return capabilities ?? {};
}

/** Whether the client can ask its person to fill in a form. */
export function canAsk(envelope: unknown): boolean {
  const { elicitation } = capabilitiesOf(envelope);
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Whether the client has declared the extension for tasks. */
export function hasTasks(envelope: unknown): boolean {
  const { extensions } = capabilitiesOf(envelope);
  return extensions?.[TASKS_EXTENSION] !== undefined;
}
