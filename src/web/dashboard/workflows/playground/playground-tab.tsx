import { lazy, Suspense, useMemo, useState } from 'react';
import type { MessageContent } from '../../../../sdk/index.ts';
import { Composer } from '../../../messages/composer.tsx';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { retried } from '../../../ui/load.ts';
import { Notice } from '../../../ui/notice.tsx';
import { ReadOnlyNotice } from '../../frame/page-frame.tsx';
import { useFilter, useSetFilters } from '../../location.ts';
import { useServiceQuery } from '../../requests.ts';
import { usePermission } from '../../session/session.ts';
import { PLAYGROUND_SOURCES } from '../documents.ts';
import { useDraftForm } from '../draft/draft-form.ts';
import type { WorkflowData } from '../draft/draft-values.ts';
import { Column } from './column.tsx';
import { useSourceConversation } from './source-conversation.ts';
import { useTest } from './use-test.ts';
import { choicesOf, draftOf, targetOf, type Variant } from './variants.ts';

// It is needed only for tests that continue a conversation.
const SourceHistory = lazy(async () => ({
  default: (await retried(() => import('./source-history.tsx'))).SourceHistory,
}));

/** Conversations with the draft before it is published. */
export function PlaygroundTab({ workflow }: { readonly workflow: WorkflowData }) {
  return usePermission('workflows:write') ? (
    <Playground workflow={workflow} />
  ) : (
    <ReadOnlyNotice subject="this workflow" />
  );
}

function Playground({ workflow }: { readonly workflow: WorkflowData }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [conversation] = useFilter('conversation');
  const [turn] = useFilter('turn');
  const setFilters = useSetFilters();
  const source = useSourceConversation(conversation, turn);
  const [isComparing, setComparing] = useState(false);
  const names = placeholdersOf(workflow.draft.instructions);
  const variableOf = (name: string) => values[name] ?? source.source?.variables[name] ?? '';
  const shared = {
    variables: names.map((name) => ({ name, value: variableOf(name) })),
    source: source.source?.lastItemId
      ? { conversationId: source.source.id, lastItemId: source.source.lastItemId }
      : null,
  };
  const [left, right] = [useColumn(workflow, shared), useColumn(workflow, shared)];
  const columns = isComparing ? [left, right] : [left];
  const { data } = useServiceQuery(PLAYGROUND_SOURCES, {});
  const choices = choicesOf(workflow, data?.workflows.nodes ?? []);
  const isBusy = columns.some(({ test }) => test.isRunning);
  const isBlocked = columns.some(({ test }) => test.waiting.length > 0 || test.isCompleted);
  const hasTurns = columns.some(({ test }) => test.turns.length > 0);
  const isLoading = conversation !== '' && !source.source;
  const send = async (content: MessageContent) => {
    for (const { test } of columns) test.send(content);
  };
  const resetAll = () => {
    for (const { test } of [left, right]) test.reset();
  };
  return (
    <div className="flex flex-col gap-4">
      <Unsaved />
      <BeforeTesting workflow={workflow} />
      {conversation !== '' && (
        <Suspense fallback={null}>
          <SourceHistory
            state={source}
            onRemove={() => {
              resetAll();
              setFilters({ conversation: '', turn: '' });
            }}
          />
        </Suspense>
      )}
      {names.length > 0 && (
        <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
          {names.map((name) => (
            <TextField
              key={name}
              label={`{{${name}}}`}
              value={variableOf(name)}
              onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            />
          ))}
        </div>
      )}
      <div className={`grid items-start gap-4 ${isComparing ? 'lg:grid-cols-2' : ''}`}>
        {columns.map(({ test, variant, setVariant }, index) => (
          <Column
            // biome-ignore lint/suspicious/noArrayIndexKey: the columns have fixed places
            key={index}
            side={isComparing ? (index === 0 ? 'Left' : 'Right') : undefined}
            {...{ test, variant, choices }}
            onVariant={setVariant}
          />
        ))}
      </div>
      <div className="flex flex-col gap-2 border-t border-line bg-canvas py-3 md:sticky md:bottom-0 md:z-10">
        <Composer
          onSend={send}
          onStop={isBusy ? () => columns.map(({ test }) => test.stop()) : undefined}
          disabled={isBusy || isBlocked || isLoading}
          beginning={source.source?.beginning}
          placeholder="Message to the draft"
        />
        <div className="flex flex-wrap gap-2">
          <Button small disabled={!hasTurns} onClick={resetAll}>
            Reset
          </Button>
          <Button
            small
            disabled={isBusy}
            onClick={() => {
              if (hasTurns) resetAll();
              setComparing(!isComparing);
            }}
          >
            {isComparing ? 'Stop comparing' : 'Compare side by side'}
          </Button>
        </div>
      </div>
    </div>
  );
}

interface Shared {
  readonly variables: readonly { readonly name: string; readonly value: string }[];
  readonly source: { readonly conversationId: string; readonly lastItemId: string } | null;
}

/** What a column runs, and its conversation. */
function useColumn({ workflowId }: WorkflowData, shared: Shared) {
  const [variant, setVariant] = useState<Variant>({ source: draftOf(workflowId), model: '' });
  const text = JSON.stringify(shared);
  const target = useMemo(() => ({ ...targetOf(variant), ...(JSON.parse(text) as Shared) }), [variant, text]);
  return { variant, setVariant, test: useTest({ ...target, variables: [...target.variables] }) };
}

function Unsaved() {
  const { unsaved, busy, save } = useDraftForm();
  if (!unsaved) return null;
  return (
    <Notice
      tone="warn"
      action={
        <Button small busy={busy} onClick={save}>
          Save changes
        </Button>
      }
    >
      Tests use the saved draft, without your unsaved changes.
    </Notice>
  );
}

/** What a test does, before the first message. */
function BeforeTesting({ workflow: { draft } }: { readonly workflow: WorkflowData }) {
  const hasActions = draft.httpActions.length + draft.mcpServers.length + draft.resourceTools.length > 0;
  return (
    <>
      <p className="text-sm text-muted">
        Tests change no deployment and store no conversation. They count as usage. Reloading the page resets them.
      </p>
      {hasActions && (
        <Notice tone="warn">
          Actions and resource tools of this draft really run. Calls that need an approval are not run.
        </Notice>
      )}
    </>
  );
}

/** The variables in the instructions. */
function placeholdersOf(instructions: string): string[] {
  const matches = instructions.matchAll(/\{\{\s*([A-Za-z0-9_.-]{1,64})\s*\}\}/g);
  return [...new Set([...matches].map(([, name = '']) => name))].slice(0, 20);
}
