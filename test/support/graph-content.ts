import { CONTENT_PART_TYPES } from '../../src/contract/content.ts';

/** The content of a REST request for the GraphQL API. Malformed input is left for the service to reject. */
export function toGraphContent(content: unknown): unknown {
  return Array.isArray(content) ? content.map(toGraphPart) : content;
}

function toGraphPart(part: unknown): unknown {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
  const { type, text, mime_type: mimeType, file_uri: fileUri, data } = part as Record<string, unknown>;
  if (type === 'text') return { text };
  if (type === 'data') return { data: { mimeType, data } };
  return CONTENT_PART_TYPES.some((known) => known === type) ? { [String(type)]: { mimeType, fileUri } } : part;
}

/** The connected client tools of a REST request for the GraphQL API. */
export function toGraphCapabilities(capabilities: readonly unknown[] | undefined): unknown {
  return capabilities?.map((capability) => {
    if (typeof capability === 'string') return { name: capability };
    const { name, input_schema: inputSchema } = capability as Record<string, unknown>;
    return inputSchema === undefined ? { name } : { tool: { name, inputSchema } };
  });
}

/** The variables of a REST request for the GraphQL API. */
export function toGraphVariables(variables: unknown): unknown {
  if (typeof variables !== 'object' || variables === null) return variables;
  return Object.entries(variables).map(([name, value]) => ({ name, value }));
}

/** Variables of the GraphQL API by name. */
export function byName(variables: readonly { readonly name: string; readonly value: string }[]): object {
  return Object.fromEntries(variables.map(({ name, value }) => [name, value]));
}

/** A message of one text part for the GraphQL API. */
export function graphText(text: string): readonly object[] {
  return [graphPart(text)];
}

/** A text part for the GraphQL API. Its text can be malformed. */
export function graphPart(text: unknown): object {
  return { text };
}
