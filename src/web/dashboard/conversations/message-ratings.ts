import type { ResultOf } from 'gql.tada';
import { enumValueOf } from '../../../contract/enum-names.ts';
import type { HistoryItem, MessageRating } from '../../../sdk/index.ts';
import type { CONVERSATION } from './documents.ts';

type Node = NonNullable<ResultOf<typeof CONVERSATION>['conversation']>['history']['nodes'][number];

/** The ratings of messages by item ID. */
export type Ratings = ReadonlyMap<string, MessageRating | undefined>;

export function ratingsOf(nodes: readonly Node[]): Ratings {
  return new Map(
    nodes.flatMap((node) => {
      if (node.__typename !== 'Message') return [];
      const { itemId, rating } = node;
      return [[itemId, rating ? { ...rating, value: enumValueOf(rating.value) } : undefined]];
    }),
  );
}

/** The feed of turns does not report ratings. The query of the page reads them again with each change. */
export function withRatings(items: readonly HistoryItem[], ratings: Ratings): readonly HistoryItem[] {
  return items.map((item) => {
    if (item.type !== 'message' || !ratings.has(item.id)) return item;
    const rating = ratings.get(item.id);
    // An unchanged item keeps its identity, so that its row is not drawn again.
    return rating?.ratedAt === item.rating?.ratedAt ? item : { ...item, rating };
  });
}
