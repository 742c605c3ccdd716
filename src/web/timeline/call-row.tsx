import { CLIENT_TOOLS, isClientToolName } from '../../contract/client-tools.ts';
import { texts } from '../texts/current.ts';
import { Icon } from '../ui/icon.tsx';
import { Badge } from '../ui/notice.tsx';
import { CallDetails } from './call-details.tsx';
import { type CallItem, statusOf, titleOf } from './labels.ts';

interface Props {
  readonly item: CallItem;
  readonly raw: boolean;
  /** The name of the member who answered it. */
  readonly answerer: string | undefined;
}

/** A tool call in the timeline: title and status, with expandable details. */
export function CallRow({ item, raw, answerer }: Props) {
  const t = texts().calls;
  const { label, tone } = statusOf(item);
  // The details show its questions or files instead of the summary.
  const isKnown = !raw && item.type === 'client_tool' && isClientToolName(item.name);
  return (
    <details className="group rounded-lg border border-line bg-surface">
      <summary className="flex min-h-10 cursor-pointer list-none items-center gap-2 rounded-lg px-3 py-1.5 hover:bg-sunken [&::-webkit-details-marker]:hidden">
        <Icon
          name="chevron"
          className="size-4 text-muted transition group-open:rotate-90 rtl:not-group-open:rotate-180"
        />
        <Icon
          name={isClientToolName(item.name) ? CLIENT_TOOLS[item.name].icon : 'tool'}
          className="size-4 text-muted"
        />
        <span className="min-w-0 flex-1 truncate font-medium">{titleOf(item.name)}</span>
        {answerer && <span className="min-w-0 truncate text-sm text-muted">{t.answeredBy(answerer)}</span>}
        <Badge tone={tone}>{label}</Badge>
      </summary>
      <div className="flex flex-col gap-3 border-t border-line p-3">
        {!isKnown && (
          <p className="text-sm text-muted">
            {t[item.type]}: {raw ? item.summary : item.name}
          </p>
        )}
        {item.type === 'client_tool' && <CallDetails {...item} raw={raw} />}
      </div>
    </details>
  );
}
