import type { ResultOf } from 'gql.tada';
import { countOf, formatCount } from '../../ui/numbers.ts';
import { type Money, useMoney } from '../money.ts';
import { useServiceQuery } from '../requests.ts';
import { CONVERSATION_TOTALS } from './documents.ts';
import { useListFilter } from './use-list-filter.ts';

/** The totals of all conversations that match, not only of this page. */
export function Totals() {
  const { filter } = useListFilter();
  const money = useMoney();
  const totals = useServiceQuery(CONVERSATION_TOTALS, { filter }).data?.conversationTotals;
  return (
    // Keeps the room of the text: two lines on a phone.
    <p role="status" aria-label="Totals" className="mb-3 min-h-10 text-sm text-muted sm:min-h-5">
      {totals && totalsText(totals, money)}
    </p>
  );
}

type TotalsData = ResultOf<typeof CONVERSATION_TOTALS>['conversationTotals'];

function totalsText({ conversations, usage }: TotalsData, money: Money): string {
  const parts = [
    countOf(conversations, 'conversation'),
    ...(usage
      ? [
          countOf(usage.turns, 'turn'),
          `${formatCount(usage.failures)} failed`,
          countOf(usage.inputTokens, 'input token'),
          countOf(usage.outputTokens, 'output token'),
          ...(usage.cost === null ? [] : [`${money.format(usage.cost)} cost`]),
        ]
      : []),
  ];
  return parts.join(' · ');
}
