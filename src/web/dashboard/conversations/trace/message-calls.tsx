import { JsonView } from '../../../timeline/json-view.tsx';
import { CodeBlock } from '../../../ui/code.tsx';
import { Badge } from '../../../ui/notice.tsx';
import { Fold } from './fold.tsx';
import type { MessagePart } from './prompt-messages.ts';

/** A call that a message contains. Opens to show its arguments. */
export function CallFold({ name, value }: Omit<Extract<MessagePart, { kind: 'call' }>, 'kind'>) {
  return (
    <Fold summary={<Name verb="Call" name={name} />}>
      <Value label="Arguments" value={value} />
    </Fold>
  );
}

/** The result of a call that a message contains. Opens to show it. */
export function ResultFold({ name, value, isFailed }: Omit<Extract<MessagePart, { kind: 'result' }>, 'kind'>) {
  return (
    <Fold
      summary={
        <>
          <Name verb="Result" name={name} />
          {isFailed && <Badge tone="danger">Failed</Badge>}
        </>
      }
    >
      <Value label="Result" value={value} />
    </Fold>
  );
}

function Name({ verb, name }: { readonly verb: string; readonly name: string }) {
  return (
    <span className="min-w-0">
      <span className="text-muted">{`${verb} `}</span>
      <code className="wrap-anywhere font-mono text-sm">{name}</code>
    </span>
  );
}

/** A value of any type as JSON, and a text as it is. */
export function Value({ label, value }: { readonly label: string; readonly value: unknown }) {
  if (typeof value === 'string') return <CodeBlock label={label} text={value} />;
  return <JsonView label={label} value={value as never} />;
}
