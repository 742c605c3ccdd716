import { useEffect } from 'react';
import { type FrameState, REPORTED_REPLIES } from '../widget/frame-state.ts';

/**
 * Reports the open conversation and its newest replies to the widget that shows this page, which reopens the conversation
 * and counts unread replies.
 * @param conversation the ID of the conversation. Null: a new one, or one that does not exist.
 * @param replies the numbers of the assistant's messages and of the calls that wait for the user
 */
export function useWidgetReport(conversation: string | null, replies: readonly number[]): void {
  const newest = replies.slice(-REPORTED_REPLIES).join();
  useEffect(() => {
    if (parent === window) return;
    const state: FrameState = {
      type: 'parley:state',
      conversation,
      replies: newest === '' ? [] : newest.split(',').map(Number),
    };
    // Any site that may embed the page receives this message: it contains only an ID and numbers.
    parent.postMessage(state, '*');
  }, [conversation, newest]);
}
