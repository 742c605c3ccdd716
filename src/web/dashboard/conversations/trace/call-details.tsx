import { JsonView } from '../../../timeline/json-view.tsx';
import { ResultFiles } from '../../../timeline/result-files.tsx';
import { Time } from '../../../ui/time.tsx';
import { Fact, Facts } from '../../frame/expandable.tsx';
import type { Span } from './documents.ts';
import { Missing, Truncated } from './step-details.tsx';

type Call = Extract<Span, { readonly __typename: 'ToolCallSpan' }>;

/** What a call of a server tool got and returned. */
export function CallDetails({ callId, startedAt, requestId, arguments: args, result, isTruncated }: Call) {
  return (
    <>
      <Facts>
        <Fact name="Started">
          <Time at={startedAt} />
        </Fact>
        <Fact name="Call">
          <code className="wrap-anywhere font-mono text-sm">{callId}</code>
        </Fact>
        <Fact name="Request">
          <code className="wrap-anywhere font-mono text-sm">{requestId}</code>
        </Fact>
      </Facts>
      {isTruncated && <Truncated />}
      {args ? <JsonView label="Arguments" value={args as never} /> : <Missing />}
      <ResultFiles output={result} />
      {result && <JsonView label="Result" value={result as never} />}
    </>
  );
}
