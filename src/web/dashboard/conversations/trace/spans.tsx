import { Badge } from '../../../ui/notice.tsx';
import { formatCount, formatSeconds } from '../../../ui/numbers.ts';
import { Expandable, ExpandableList } from '../../frame/expandable.tsx';
import { CallDetails } from './call-details.tsx';
import type { Span } from './documents.ts';
import { StepDetails } from './step-details.tsx';

/** The time that the spans cover, in milliseconds since 1970. */
interface Period {
  readonly from: number;
  readonly to: number;
}

const startOf = ({ startedAt }: Span) => Date.parse(startedAt);
const endOf = (span: Span) => startOf(span) + span.durationMs;

/** The steps and calls of a turn on a time line. Each opens to show what was asked and answered. */
export function Spans({ spans }: { readonly spans: readonly Span[] }) {
  if (spans.length === 0)
    return (
      <p className="text-muted">
        No step has ended yet, or the service recorded no steps. The steps of a copied turn are in the trace of its
        source.
      </p>
    );
  const period = { from: Math.min(...spans.map(startOf)), to: Math.max(...spans.map(endOf)) };
  return (
    <ExpandableList label="Steps and calls">
      {spans.map((span) => (
        <Expandable key={span.spanId} summary={<Summary {...{ span, period }} />}>
          {span.__typename === 'ModelStepSpan' ? <StepDetails {...span} /> : <CallDetails {...span} />}
        </Expandable>
      ))}
    </ExpandableList>
  );
}

function Summary({ span, period }: { readonly span: Span; readonly period: Period }) {
  const isStep = span.__typename === 'ModelStepSpan';
  const isFailed = isStep ? span.error !== null : span.status === 'FAILED';
  return (
    <span className="flex w-full min-w-0 flex-col gap-2">
      <span className="flex w-full min-w-0 flex-wrap items-baseline gap-x-3 gap-y-1">
        <span className="min-w-0 font-medium break-words">
          {isStep ? `Step ${span.step}: ${span.model}` : `Call: ${span.tool}`}
        </span>
        {isFailed && <Badge tone="danger">Failed</Badge>}
        {isStep && span.attempts > 1 && <Badge tone="warn">{`${span.attempts} attempts`}</Badge>}
        <span className="ml-auto text-sm tabular-nums text-muted">
          {[...tokensOf(span), formatSeconds(span.durationMs / 1_000)].join(' · ')}
        </span>
      </span>
      <Bar {...{ span, period, isFailed }} />
    </span>
  );
}

function tokensOf(span: Span): string[] {
  if (span.__typename !== 'ModelStepSpan' || span.inputTokens === null || span.outputTokens === null) return [];
  return [`${formatCount(span.inputTokens)} input + ${formatCount(span.outputTokens)} output tokens`];
}

interface BarProps {
  readonly span: Span;
  readonly period: Period;
  readonly isFailed: boolean;
}

/** Where the span lies in the period. Decoration: the text has the duration. */
function Bar({ span, period, isFailed }: BarProps) {
  const all = Math.max(1, period.to - period.from);
  const start = (100 * (startOf(span) - period.from)) / all;
  // A short span stays visible, also at the end.
  const width = Math.max(0.75, (100 * span.durationMs) / all);
  const fill = isFailed ? 'fill-danger' : span.__typename === 'ModelStepSpan' ? 'fill-accent' : 'fill-ok';
  return (
    <svg aria-hidden="true" className="block h-2 w-full overflow-hidden rounded-full bg-sunken">
      <rect x={`${Math.min(start, 100 - width)}%`} y="0" width={`${width}%`} height="100%" rx="4" className={fill} />
    </svg>
  );
}
