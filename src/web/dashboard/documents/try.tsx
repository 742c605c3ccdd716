import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code.tsx';
import { Badge, Notice } from '../../ui/notice.tsx';
import { JsonField } from '../forms/json-field.tsx';
import { formatJson, parseJsonObject } from '../forms/rules.ts';
import { Section } from '../frame/page-frame.tsx';
import { useEnvironment } from '../location.ts';
import { useMe } from '../session/session.ts';
import { formatMs } from './format.ts';
import { type Trial, tryDocument } from './try-request.ts';
import { exampleVariables, type Parameter } from './variables.ts';

interface Props {
  /** The text without the directives of documents, which GraphQL accepts. */
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

/** Runs the operation as the signed-in member, with variables. */
export function Try({ text, parameters }: Props) {
  const environment = useEnvironment();
  const { user } = useMe();
  const [variables, setVariables] = useState(() => formatJson(exampleVariables(parameters)));
  const [busy, setBusy] = useState(false);
  const [trial, setTrial] = useState<Trial>();
  const [failure, setFailure] = useState('');
  const { value, problem } = parseJsonObject(variables);
  const run = async () => {
    if (!value) return;
    setBusy(true);
    setFailure('');
    try {
      setTrial(await tryDocument({ text, variables: value, environment }));
    } catch {
      setFailure('The service could not be reached. Check your connection and try again.');
    }
    setBusy(false);
  };
  return (
    <Section title="Try it">
      <div className="flex flex-col items-start gap-4">
        <p className="text-muted">
          Runs as {user.name} in the {environment} environment.
          {text.trimStart().startsWith('mutation') && ' A mutation really changes data.'}
        </p>
        {parameters.length > 0 && (
          <div className="w-full">
            <JsonField label="Variables" value={variables} onChange={setVariables} error={problem} rows={3} />
          </div>
        )}
        <Button busy={busy} disabled={problem !== undefined} onClick={run}>
          Run
        </Button>
        {failure && <Notice tone="danger">{failure}</Notice>}
        {trial && !busy && <Result trial={trial} />}
      </div>
    </Section>
  );
}

function Result({ trial: { status, durationMs, body } }: { readonly trial: Trial }) {
  const hasErrors = status >= 400 || Object.hasOwn(body as object, 'errors');
  return (
    <div className="flex w-full flex-col gap-2" role="status">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={hasErrors ? 'danger' : 'ok'}>{hasErrors ? 'Error' : 'Success'}</Badge>
        <span className="text-sm text-muted">
          Status {status}, {formatMs(durationMs)}
        </span>
      </p>
      <CodeBlock label="Response" text={formatJson(body)} />
    </div>
  );
}
