import { MessageParts } from '../messages/message-parts.tsx';
import { resultFilesOf } from './client-tools.ts';

const RECEIVED = { role: 'user' } as const;

/** The files that a tool of an MCP server returned: pictures, and links to others. */
export function ResultFiles({ output }: { readonly output: unknown }) {
  const content = resultFilesOf(output);
  return content.length > 0 && <MessageParts {...RECEIVED} content={content} />;
}
