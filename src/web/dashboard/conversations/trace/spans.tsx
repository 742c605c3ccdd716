import { useState } from 'react';
import { Badge } from '../../../ui/notice.tsx';
import { formatCount } from '../../../ui/numbers.ts';
import { Expandable, ExpandableList } from '../../frame/expandable.tsx';
import { type Axis, axisOf } from './axis.ts';
import { AxisTicks, Bar } from './axis-view.tsx';
import { CallDetails } from './call-details.tsx';
import type { Run, Span } from './documents.ts';
import { durationText } from './duration-text.ts';
import { GapRow } from './gap-row.tsx';
import { StepDetails } from './step-details.tsx';
import { TotalsLine } from './totals-line.tsx';
import { type AwaitedCall, isGap, isLongGap, rowsOf, type SpanRow, type TurnRow } from './turn-rows.ts';

/** The steps and calls of a turn on a time axis, with the time between them. Each opens to show what was asked and answered. */
export function Spans({ run, trace }: { readonly run: Run; readonly trace: NonNullable<Run['trace']> }) {
  const { nodes: spans, pageInfo } = trace.spans;
  if (spans.length === 0)
    return (
      <p className="text-muted">
        No step has ended yet, or the service recorded no steps. The steps of a copied turn are in the trace of its
        source.
      </p>
    );
  const page = { spans, hasEarlier: pageInfo.hasPreviousPage, hasLater: pageInfo.hasNextPage };
  const rows = rowsOf(timesOf(run), page);
  const axis = axisOf(rows);
  return (
    <div className="flex flex-col gap-2">
      <AxisTicks {...axis} />
      <ExpandableList label="Steps and calls">
        {rows
          .filter(isShown)
          .map((row) =>
            isGap(row) ? (
              <GapRow key={`${row.cause} ${row.from}`} gap={row} axis={axis} />
            ) : (
              <SpanItem key={row.span.spanId} {...{ row, axis }} />
            ),
          )}
      </ExpandableList>
      <TotalsLine rows={rows} isShortened={axis.breaks.length > 0} />
    </div>
  );
}

function timesOf({ status, createdAt, updatedAt, workflowLogs, history }: Run) {
  const calls = history.nodes.filter((item): item is AwaitedCall => 'name' in item);
  return { status, createdAt, updatedAt, parts: workflowLogs?.nodes.toReversed() ?? [], calls };
}

const isShown = (row: TurnRow<Span>) => !isGap(row) || row.cause === 'pause' || isLongGap(row);

interface ItemProps {
  readonly row: SpanRow<Span>;
  readonly axis: Axis;
}

function SpanItem({ row, axis }: ItemProps) {
  const { span } = row;
  const [wasOpened, setWasOpened] = useState(false);
  const details = span.__typename === 'ModelStepSpan' ? <StepDetails {...span} /> : <CallDetails {...span} />;
  return (
    <Expandable summary={<Summary {...{ row, axis }} />} onToggle={(isOpen) => isOpen && setWasOpened(true)}>
      {wasOpened && details}
    </Expandable>
  );
}

function Summary({ row, axis }: ItemProps) {
  const { span } = row;
  const isStep = span.__typename === 'ModelStepSpan';
  const isFailed = isStep ? span.error !== null : span.status === 'FAILED';
  return (
    <span className="flex w-full min-w-0 flex-col gap-2">
      <span className="flex w-full min-w-0 flex-wrap items-baseline gap-x-3 gap-y-1">
        <span className="min-w-0 font-medium break-words">{nameOf(span)}</span>
        {isFailed && <Badge tone="danger">Failed</Badge>}
        {isStep && span.attempts > 1 && <Badge tone="warn">{`${span.attempts} attempts`}</Badge>}
        <span className="ml-auto text-sm tabular-nums text-muted">
          {tokensOf(span)}
          <span className="whitespace-nowrap">{durationText(span.durationMs)}</span>
        </span>
      </span>
      <Bar {...{ row, axis }} look={isFailed ? 'failed' : isStep ? 'step' : 'call'} />
    </span>
  );
}

function nameOf(span: Span): string {
  if (span.__typename === 'ToolCallSpan') return `Call: ${span.tool}`;
  return span.isSummary ? `Summary before step ${span.step}: ${span.model}` : `Step ${span.step}: ${span.model}`;
}

function tokensOf(span: Span): string {
  if (span.__typename !== 'ModelStepSpan' || span.inputTokens === null || span.outputTokens === null) return '';
  return `${formatCount(span.inputTokens)} input + ${formatCount(span.outputTokens)} output tokens · `;
}
