import { Icon } from '../ui/icon.tsx';
import { Badge } from '../ui/notice.tsx';
import { CallDetails } from './call-details.tsx';
import { type CallItem, statusOf, titleOf } from './words.ts';

const KINDS = { tool: 'Tool', action: 'Action', client_tool: 'Client tool' } as const;

/** A call beside the talk: what it is and what became of it, and the rest on demand. */
export function CallRow({ item, raw }: { readonly item: CallItem; readonly raw: boolean }) {
  const { word, tone } = statusOf(item);
  return (
    <details className="group rounded-lg border border-line bg-surface">
      <summary className="flex min-h-10 cursor-pointer list-none items-center gap-2 rounded-lg px-3 py-1.5 hover:bg-sunken [&::-webkit-details-marker]:hidden">
        <Icon name="chevron" className="size-4 text-muted transition group-open:rotate-90" />
        <Icon name={item.name === 'upload_document' ? 'file' : 'tool'} className="size-4 text-muted" />
        <span className="min-w-0 flex-1 truncate font-medium">{titleOf(item.name)}</span>
        <Badge tone={tone}>{word}</Badge>
      </summary>
      <div className="flex flex-col gap-3 border-t border-line p-3">
        <p className="text-sm text-muted">
          {KINDS[item.type]}: {item.summary}
        </p>
        {item.type === 'client_tool' && <CallDetails {...item} raw={raw} />}
      </div>
    </details>
  );
}
