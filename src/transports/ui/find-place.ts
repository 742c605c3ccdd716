import { ServiceError } from '../../contract/errors.ts';
import { UUID_PATTERN } from '../../contract/ids.ts';
import { LIMITS } from '../../contract/limits.ts';
import { textIn } from './files.ts';
import type { Replacement, SentMessage } from './message.ts';
import type { StoredItem, StoredPage } from './stored-messages.ts';
import { historyInput, run, type UiRequest } from './ui-request.ts';

/** The stored message whose turn is replaced. `next`: the message was never stored, and it follows the last one. */
type Place = { readonly kind: 'message'; readonly id: string } | { readonly kind: 'next' };

/** A message of the user in the active line. */
interface LineMessage {
  readonly id: string;
  readonly runId: string;
  readonly text: string;
}

/** The newest messages of the user in the active line, oldest first. */
interface Line {
  readonly messages: readonly LineMessage[];
  /** Whether there are no older ones. */
  readonly isWhole: boolean;
}

/** Pages that are read to find a message: 1,000 items. */
const MOST_PAGES = 10;

/**
 * Finds the message of the user whose turn a request replaces. The page makes up IDs of its messages, and keeps the ID of a
 * message that it edits, so the message can have no ID that the service knows. Then its place counts. Undefined: an error was
 * sent.
 * @throws {ServiceError} invalid_request, message_superseded
 */
export async function findPlace(ui: UiRequest, replaces: Replacement): Promise<Place | undefined> {
  let items: readonly StoredItem[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page = await readPage(ui, replaces.chatId, cursor);
    if (!page) return undefined;
    items = [...page.items, ...items];
    cursor = page.next_cursor ?? undefined;
    const line = { messages: items.flatMap(lineMessage), isWhole: cursor === undefined };
    const index = indexIn(line, replaces);
    if (index !== undefined) return replaces.isEdit ? placeAt(line, index) : lastPlace(line, index, replaces);
  }
  throw changed();
}

async function readPage(ui: UiRequest, chatId: string, cursor: string | undefined): Promise<StoredPage | undefined> {
  let page: StoredPage | undefined;
  const input = historyInput(ui.request, chatId, { limit: LIMITS.pageSize, cursor });
  const found = await run(ui, ui.routes.ReadChat, input, {
    isMissing: async () => {
      page = { items: [], next_cursor: null };
    },
  });
  return (found as StoredPage | undefined) ?? page;
}

function lineMessage({ id, role, content = [], run }: StoredItem): LineMessage[] {
  return role === 'user' ? [{ id, runId: run?.run_id ?? '', text: textIn(content) }] : [];
}

/**
 * The index of the message of the user in the line. One after the last: it was not stored. Undefined: older messages are
 * needed to find it.
 * @throws {ServiceError} message_superseded if the messages of the page are not those of the line
 */
function indexIn({ messages, isWhole }: Line, { sent, messageId, isEdit }: Replacement): number | undefined {
  const byId = new Map(messages.flatMap(({ id, runId }, index) => [[id, index] as const, [runId, index] as const]));
  const ofReply = isEdit ? undefined : messageId;
  const own = byId.get(ofReply ?? '');
  // The ID of a stored reply. If no loaded message has it, an older or a replaced one does.
  if (own !== undefined || UUID_PATTERN.test(ofReply ?? '')) return own;
  const last = byId.get(sent.at(-1)?.id ?? '');
  if (last !== undefined) return last;
  // Pages of long chats can send the last message only.
  if (!isEdit && sent.length === 1 && isSame(sent[0], messages.at(-1))) return messages.length - 1;
  const earlier = sent.slice(0, -1);
  // The ID of a reply is that of its run.
  const known = earlier.findLastIndex(({ id }) => byId.has(id));
  if (known < 0 && !isWhole) return undefined;
  const start = known < 0 ? 0 : (byId.get(earlier[known]?.id ?? '') ?? 0) + 1;
  const between = earlier.slice(known + 1).filter(({ isUser }) => isUser);
  if (between.some((message, index) => !isSame(message, messages[start + index]))) throw changed();
  return start + between.length;
}

const isSame = (sent: SentMessage | undefined, stored: LineMessage | undefined) =>
  sent?.text.trim() === stored?.text.trim();

function placeAt({ messages }: Line, index: number): Place {
  const message = messages[index];
  return message ? { kind: 'message', id: message.id } : { kind: 'next' };
}

/** @throws {ServiceError} invalid_request if the message is not the last one; message_superseded if it has another text */
function lastPlace(line: Line, index: number, { sent }: Replacement): Place {
  const place = placeAt(line, index);
  const isKnown = place.kind === 'next' || isSame(sent.at(-1), line.messages[index]);
  if (!isKnown) throw changed();
  if (place.kind === 'next' || index === line.messages.length - 1) return place;
  const text =
    'Only the last reply can be regenerated, so {param} must be its ID. Edit the message to replace a turn before it.';
  throw new ServiceError('invalid_request', text, { param: ['messageId'] });
}

function changed(): ServiceError {
  const text =
    'The messages of this page are not those of the conversation any more, so {param} does not show which one to replace. Load the messages again.';
  return new ServiceError('message_superseded', text, { param: ['messages'], facts: { superseded_by: null } });
}
