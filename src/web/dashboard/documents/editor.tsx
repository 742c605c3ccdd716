import { useRef } from 'react';
import { LIMITS } from '../../../contract/limits.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { ErrorNotice } from '../frame/loaded.tsx';
import { Section } from '../frame/page-frame.tsx';
import { BreakingChanges, type Check, CheckFacts, Problems } from './check-result.tsx';
import { CodeEditor, moveCaret } from './code-editor.tsx';
import { Try } from './try.tsx';
import { type Draft, type PublicationOptions, usePublication } from './use-publication.ts';

interface Props extends PublicationOptions {
  readonly draft: Draft;
  readonly onText: (text: string) => void;
  /** Whether the text differs from the published one. */
  readonly isChanged: boolean;
  /** Why the draft cannot be published now. */
  readonly blocked?: string | undefined;
}

/** Writes, checks, tries and publishes the text of a document. */
export function Editor({ draft, onText, isChanged, blocked, ...options }: Props) {
  const { version } = options;
  const publication = usePublication(options);
  const { busy, error, checked, isAsking } = publication;
  const area = useRef<HTMLTextAreaElement>(null);
  // A result is about the text that was checked.
  const isCurrent = checked?.draft.text === draft.text && checked.draft.name === draft.name;
  const check = isCurrent ? checked.check : undefined;
  const problems = check?.problems ?? [];
  const isValid = check !== undefined && problems.length === 0;
  const missing = draft.name === '' ? 'Enter a name first.' : blocked;
  return (
    <>
      <Section
        title="Operation"
        actions={
          <a
            href={explorerUrl(check?.trustedText ?? draft.text)}
            target="_blank"
            rel="noreferrer"
            className="text-accent underline"
          >
            Open in the GraphQL explorer
          </a>
        }
      >
        <div className="flex flex-col gap-4">
          <CodeEditor
            ref={area}
            label="Query or mutation"
            value={draft.text}
            onChange={onText}
            marked={new Set(problems.map(({ line }) => line))}
            onSubmit={() => !missing && publication.check(draft)}
            maxLength={LIMITS.documentLength}
          />
          <p className="text-sm text-muted">
            {'@rest sets the path, @tool the title of the tool. Ctrl Enter checks the text. '}
            <a href="/docs/guides/documents" target="_blank" rel="noreferrer" className="text-accent underline">
              Guide to published operations
            </a>
          </p>
          <Problems problems={problems} onSelect={({ line, column }) => moveCaret(area.current, line, column)} />
          {isValid && isChanged && <Verdict check={check} version={version} />}
          {check && <CheckFacts check={check} />}
          {!isAsking && <ErrorNotice error={error} />}
          <div className="flex flex-wrap items-center gap-2">
            <Button
              busy={busy === 'check'}
              disabled={Boolean(missing)}
              title={missing}
              onClick={() => publication.check(draft)}
            >
              Check
            </Button>
            <Button
              look="primary"
              busy={busy === 'publish'}
              disabled={Boolean(missing) || !isChanged}
              title={missing}
              onClick={() => publication.checkAndPublish(draft)}
            >
              {version === 0 ? 'Publish' : `Publish version ${version + 1}`}
            </Button>
          </div>
        </div>
      </Section>
      {isValid && check.trustedText !== null && (
        <Try key={parametersKey(check)} text={check.trustedText} parameters={check.route?.parameters ?? []} />
      )}
      {isAsking && check && (
        <ConfirmDialog
          title={`Break callers of ${draft.name}?`}
          verb="Publish anyway"
          busy={busy === 'publish'}
          error={error}
          onConfirm={() => publication.publish(draft, true)}
          onClose={publication.cancel}
        >
          <p>The new version runs at once on all APIs. Callers that rely on these parts fail:</p>
          <BreakingChanges changes={check.breakingChanges} />
        </ConfirmDialog>
      )}
    </>
  );
}

interface VerdictProps {
  readonly check: Check;
  readonly version: number;
}

/** Whether a valid text can be published without breaking callers. */
function Verdict({ check: { breakingChanges }, version }: VerdictProps) {
  if (breakingChanges.length === 0) return <Notice tone="ok">The text can be published.</Notice>;
  return (
    <Notice tone="warn">
      <p className="font-medium">This text breaks callers of version {version}:</p>
      <BreakingChanges changes={breakingChanges} />
    </Notice>
  );
}

/** A longer address would exceed the limit of request headers. */
const MAX_QUERY = 6_000;

function explorerUrl(text: string): string {
  const query = encodeURIComponent(text);
  return query.length > MAX_QUERY ? '/graphql' : `/graphql?query=${query}`;
}

/** Other variables start with other values. */
const parametersKey = ({ route }: { readonly route: { readonly parameters: readonly object[] } | null }) =>
  JSON.stringify(route?.parameters ?? []);
