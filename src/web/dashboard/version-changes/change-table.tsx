import { diffLines } from 'diff';
import { formatJson } from '../forms/rules.ts';

interface Change {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

interface Props {
  readonly label: string;
  /** The title of the column of names. Default: Setting. */
  readonly subject?: string;
  readonly changes: readonly Change[];
  /** The column titles, like "Version 2" and "Draft". */
  readonly from: string;
  readonly to: string;
}

/** The names of settings, as the editor shows them. Parts of lists, like the URL of an action, have only a path. */
const SETTINGS: Readonly<Record<string, string>> = {
  allowConversationCompletion: 'Let the model complete conversations',
  allowFileReading: 'Let the model open summarized files',
  allowHandOver: 'Let the model hand over to a person',
  context: 'Context',
  contextTokens: 'Context limit in tokens',
  conversationBudget: 'Budget of a conversation',
  handOverAfterBadRating: 'Hand over after a bad rating',
  handOverAfterFailures: 'Hand over after failed turns',
  handOverExpiry: 'If nobody comes',
  handOverWaitMinutes: 'Wait for a person in minutes',
  historyLimit: 'History limit',
  instructions: 'Instructions',
  maxAttempts: 'Max attempts',
  maxReplyTokens: 'Reply limit in tokens',
  maxSteps: 'Max steps',
  model: 'Model',
  modelParameters: 'Model parameters',
  outputSchema: 'Output schema',
  reasoning: 'Reasoning',
  reasoningEffort: 'Reasoning effort',
  recovery: 'If a process dies',
  runBudget: 'Budget of a run',
  stopSequences: 'Stop sequences',
  summaryInstructions: 'Instructions for summaries',
  summaryModel: 'Model of summaries',
  temperature: 'Temperature',
  timeoutSeconds: 'Timeout in seconds',
  titleModel: 'Generate titles',
};

/** The settings that differ, one row each. In a narrow container the two values are stacked. */
export function ChangeTable({ label, subject = 'Setting', changes, from, to }: Props) {
  if (changes.length === 0) return <p className="text-muted">No differences.</p>;
  return (
    <div className="@container">
      <table aria-label={label} className="block w-full table-fixed @2xl:table">
        <thead className="hidden @2xl:table-header-group">
          <tr className="border-b border-line text-left text-sm text-muted">
            <th scope="col" className="w-1/5 py-2 pr-3 font-medium">
              {subject}
            </th>
            <th scope="col" className="px-3 py-2 font-medium">
              {from}
            </th>
            <th scope="col" className="px-3 py-2 font-medium">
              {to}
            </th>
          </tr>
        </thead>
        <tbody className="flex flex-col gap-5 @2xl:table-row-group">
          {changes.map((change) => (
            <ChangeRow key={change.path} {...{ change, from, to }} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A text compared by lines. */
type Lines = readonly { readonly text: string; readonly kind: 'common' | 'removed' | 'added' }[];

/** Comparing very different long texts line by line takes too long. After this time the page shows them whole. */
const DIFF_TIMEOUT_MS = 200;

function linesOf(before: unknown, after: unknown): Lines | undefined {
  if (typeof before !== 'string' || typeof after !== 'string') return undefined;
  const parts = diffLines(before, after, { stripTrailingCr: true, timeout: DIFF_TIMEOUT_MS });
  return parts?.flatMap(({ value, added, removed }) => {
    const kind = added ? 'added' : removed ? 'removed' : 'common';
    return value
      .replace(/\n$/, '')
      .split('\n')
      .map((text) => ({ text, kind }) as const);
  });
}

function ChangeRow({ change: { path, before, after }, from, to }: Pick<Props, 'from' | 'to'> & { change: Change }) {
  const lines = linesOf(before, after);
  return (
    <tr className="flex flex-col gap-2 border-line @2xl:table-row @2xl:border-b @2xl:last:border-0">
      <th scope="row" className="text-left align-top font-normal @2xl:py-3 @2xl:pr-3">
        {SETTINGS[path] && <span className="block">{SETTINGS[path]}</span>}
        <span className={`break-words font-mono text-sm ${SETTINGS[path] ? 'text-muted' : ''}`}>{path}</span>
      </th>
      <td className="align-top @2xl:px-3 @2xl:py-3">
        <Caption>{from}</Caption>
        <Value value={before} mark="removed" lines={lines} />
      </td>
      <td className="align-top @2xl:px-3 @2xl:py-3">
        <Caption>{to}</Caption>
        <Value value={after} mark="added" lines={lines} />
      </td>
    </tr>
  );
}

function Caption({ children }: { readonly children: string }) {
  return (
    <span aria-hidden="true" className="text-sm text-muted @2xl:hidden">
      {children}
    </span>
  );
}

const MARKS = { removed: 'bg-danger-soft text-danger', added: 'bg-ok-soft text-ok' } as const;

interface ValueProps {
  readonly value: unknown;
  readonly mark: keyof typeof MARKS;
  /** The compared lines, if both values are texts. */
  readonly lines: Lines | undefined;
}

function Value({ value, mark, lines }: ValueProps) {
  if (value === null || value === '') return <span className="text-muted">Empty</span>;
  if (!lines) {
    const text = typeof value === 'string' ? value : formatJson(value);
    return <p className={`${BOX} ${MARKS[mark]}`}>{text}</p>;
  }
  const visible = lines.filter(({ kind }) => kind === 'common' || kind === mark);
  return (
    <div className={`${BOX} bg-sunken`}>
      {visible.map(({ text, kind }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
        <p key={index} className={`-mx-2 px-2 ${kind === 'common' ? '' : MARKS[mark]}`}>
          {text || '\u00a0'}
        </p>
      ))}
    </div>
  );
}

const BOX = 'overflow-hidden whitespace-pre-wrap break-words rounded-lg px-2 py-1 font-mono text-sm';
