import { CursorCodec } from '../../db/cursor.ts';
import type { Context } from '../context.ts';

/**
 * The cursors of a conversation's feeds and of the pages of its timeline. The first value is a revision, so each feed can
 * start after a page.
 */
export function conversationCursors(
  { services, environment }: Pick<Context, 'services' | 'environment'>,
  conversationId: string,
): CursorCodec {
  return new CursorCodec(services.settings.secretKey, ['conversation', environment.id, conversationId]);
}
