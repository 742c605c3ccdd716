import type { ResultOf } from 'gql.tada';
import { Icon } from '../../ui/icon.tsx';
import type { CONVERSATION } from './documents.ts';

type Node = NonNullable<ResultOf<typeof CONVERSATION>['conversation']>['history']['nodes'][number];

/** The summaries by the last item that each covers. */
export type Summaries = ReadonlyMap<string, string>;

/** Callers without the scope of traces get no texts. */
export function summariesOf(nodes: readonly Node[]): Summaries {
  return new Map(
    nodes.flatMap((node) =>
      'lastItemId' in node && node.text !== null ? [[node.lastItemId, node.text] as const] : [],
    ),
  );
}

/** The summary that the model gets in place of everything above it. */
export function SummaryLine({ text }: { readonly text: string }) {
  return (
    <details className="group mt-3 rounded-lg border border-line bg-surface">
      <summary className="flex min-h-10 cursor-pointer list-none items-center gap-2 rounded-lg px-3 py-1.5 text-sm text-muted hover:bg-sunken [&::-webkit-details-marker]:hidden">
        <Icon name="chevron" className="size-4 transition group-open:rotate-90" />
        Earlier messages, summarized
      </summary>
      <p className="border-t border-line p-3 text-sm break-words whitespace-pre-wrap">{text}</p>
    </details>
  );
}
