import { createContext, useContext } from 'react';
import type { RateMessageOptions } from '../../sdk/index.ts';

/** Rates a reply of the open conversation. */
export type RateReply = (messageId: number | string, options: RateMessageOptions) => Promise<unknown>;

/** How the page rates replies. Undefined: it only shows ratings. */
export const RatingContext = createContext<RateReply | undefined>(undefined);

export function useRateReply(): RateReply | undefined {
  return useContext(RatingContext);
}
