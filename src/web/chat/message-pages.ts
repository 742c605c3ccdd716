import { LIMITS } from '../../contract/limits.ts';
import type { ConversationController, Message } from '../../sdk/index.ts';

/** Loads the stored messages of the open conversation, newest first. */
export interface MessagePages {
  /** Loads the newest messages. @throws {ParleyError} */
  loadNewest(): Promise<void>;
  /** Loads the next older page. @throws {ParleyError} */
  loadEarlier(): Promise<void>;
  hasEarlier(): boolean;
  /** 0 without messages. */
  newestId(): number;
  /**
   * Loads the newest messages after each delay (ms) until the last one is a reply. Resolves with the messages after the
   * ID `after`.
   * @throws {ParleyError}
   */
  waitForReply(after: number, delaysMs: readonly number[], isObsolete: () => boolean): Promise<readonly Message[]>;
}

const PAGE_SIZE = 20;

export function createMessagePages(conversation: ConversationController): MessagePages {
  let oldestPage = 1;
  const messages = () => conversation.getState().messages;
  const loadPage = (page: number) => conversation.loadMessages({ page, pageSize: PAGE_SIZE, append: true });

  async function loadNewest(): Promise<void> {
    // Page 1 has the oldest messages. The number of the newest page follows from the total, which any page has.
    const { total } = await loadPage(LIMITS.page);
    const last = Math.max(1, Math.ceil(total / PAGE_SIZE));
    const { items } = await loadPage(last);
    const isShort = items.length < PAGE_SIZE / 2 && last > 1;
    if (isShort) await loadPage(last - 1);
    oldestPage = isShort ? last - 1 : last;
  }

  return {
    loadNewest,
    async loadEarlier() {
      await loadPage(oldestPage - 1);
      oldestPage -= 1;
    },
    hasEarlier: () => oldestPage > 1,
    newestId: () => messages().at(-1)?.id ?? 0,
    async waitForReply(after, delaysMs, isObsolete) {
      let since: readonly Message[] = [];
      for (const delayMs of delaysMs) {
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        if (isObsolete()) break;
        await loadNewest();
        since = messages().filter(({ id }) => id > after);
        if (since.at(-1)?.role === 'assistant') break;
      }
      return since;
    },
  };
}
