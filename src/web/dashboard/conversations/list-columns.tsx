import type { ResultOf } from 'gql.tada';
import { Link } from 'wouter';
import { formatCount, formatSeconds } from '../../ui/numbers.ts';
import { Time } from '../../ui/time.tsx';
import { DeploymentLink, nameOf, type useDeployments } from '../deployment-names/deployment-names.tsx';
import { RatingMarks } from '../feedback/rating-marks.tsx';
import { ConversationBadge } from '../frame/run-badge.tsx';
import type { Column } from '../frame/table.tsx';
import { useFilter, useHref, useListState } from '../location.ts';
import { useMoney } from '../money.ts';
import { usePermission } from '../session/session.ts';
import type { CONVERSATIONS } from './documents.ts';
import { Labels } from './meta-filter.tsx';

export type Row = ResultOf<typeof CONVERSATIONS>['conversations']['nodes'][number];

type Deployments = ReturnType<typeof useDeployments>;

interface Choice extends Column<Row> {
  /** The word of the URL. */
  readonly key: string;
  readonly isDefault?: boolean;
}

/** The columns that the user can choose. Those of the workflow log need its scope. */
function useChoices(deployments: Deployments): readonly Choice[] {
  const canReadLog = usePermission('workflows:read');
  const money = useMoney();
  const usage: readonly Choice[] = [
    {
      key: 'slowest',
      title: 'Slowest turn',
      numeric: true,
      sortBy: 'response_time_ms',
      cell: ({ usage: own }) => (own?.responseTimeMs == null ? '–' : formatSeconds(own.responseTimeMs / 1_000)),
    },
    {
      key: 'cost',
      title: 'Cost',
      isDefault: true,
      numeric: true,
      sortBy: 'cost',
      cell: ({ usage: own }) => money.format(own?.cost ?? null),
    },
  ];
  return [
    {
      key: 'status',
      title: 'Status',
      isDefault: true,
      cell: ({ status, latestRun }) => <ConversationBadge {...{ status, latestRun: withoutFailure(latestRun) }} />,
    },
    {
      key: 'deployment',
      title: 'Deployment',
      isDefault: true,
      cell: ({ deploymentId }) => <DeploymentLink {...{ deployments, deploymentId }} />,
    },
    {
      key: 'messages',
      title: 'Messages',
      isDefault: true,
      numeric: true,
      sortBy: 'message_count',
      cell: ({ messageCount }) => formatCount(messageCount),
    },
    ...(canReadLog ? usage : []),
    { key: 'started', title: 'Started', sortBy: 'created_at', cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      key: 'activity',
      title: 'Latest activity',
      isDefault: true,
      sortBy: 'updated_at',
      cell: ({ updatedAt }) => <Time at={updatedAt} />,
    },
  ];
}

/** The second line of the row says why a turn failed. */
const withoutFailure = (run: Row['latestRun']) => run && { status: run.status };

/** The columns next to the conversation, in their order, and a way to change them. The URL keeps them, so a view does too. */
export function useListColumns(deployments: Deployments) {
  const choices = useChoices(deployments);
  const [words, set] = useFilter('columns');
  const isShown = ({ key, isDefault = false }: Choice) => (words ? words.split(',').includes(key) : isDefault);
  const toggle = (choice: Choice) => {
    const next = choices.filter((one) => isShown(one) !== (one === choice));
    const isDefault = choices.every((one) => next.includes(one) === (one.isDefault ?? false));
    set(isDefault ? '' : next.map(({ key }) => key).join(',') || NO_COLUMNS);
  };
  return {
    columns: choices.filter(isShown),
    items: choices.map((choice) => ({
      label: choice.title,
      checked: isShown(choice),
      onSelect: () => toggle(choice),
    })),
  };
}

/** A word that names no column. */
const NO_COLUMNS = 'none';

interface MainColumn {
  readonly deployments: Deployments;
  /** Whether the row has only this column, because a conversation is open next to the list. */
  readonly isAlone: boolean;
  /** Opens a conversation next to the list. Returns false if it must open as a page. */
  readonly onOpen: (id: string, event: { readonly detail: number }) => boolean;
}

/** The conversation in two lines: its name, and an excerpt. Alone, and on a phone, a third line has the rest. */
export function useMainColumn({ deployments, isAlone, onOpen }: MainColumn): Column<Row> {
  const href = useHref();
  const state = useListState();
  return {
    title: 'Conversation',
    isMain: true,
    cell: (row) => {
      const { conversationId, name, meta, ratings, status, latestRun, deploymentId, updatedAt } = row;
      return (
        <>
          {/* What does not fit in the line is cut off as a whole. */}
          <span className="flex max-h-6 flex-wrap items-baseline gap-x-2 gap-y-4 overflow-clip [overflow-clip-margin:3px]">
            <Link
              to={href(`/conversations/${conversationId}`)}
              state={state}
              data-row={conversationId}
              onClick={(event) => {
                if (onOpen(conversationId, event)) event.preventDefault();
              }}
              className="max-w-full shrink-0 truncate font-medium text-accent hover:underline"
            >
              {name}
            </Link>
            <RatingMarks {...ratings} />
            <Labels meta={meta} />
          </span>
          <Excerpt {...row} />
          <span className={`mt-1 flex items-center gap-2 text-sm text-muted ${isAlone ? '' : 'md:hidden'}`}>
            <ConversationBadge {...{ status, latestRun: withoutFailure(latestRun) }} />
            <span className="min-w-0 truncate">{nameOf(deployments, deploymentId)}</span>
            <span className="ms-auto shrink-0">
              <Time at={updatedAt} />
            </span>
          </span>
        </>
      );
    },
  };
}

/** One line: why the latest turn failed, or what was found or written last. */
function Excerpt({ latestRun, excerpt }: Row) {
  const parts = excerpt?.parts ?? [];
  const hasMatch = parts.some(({ isMatch }) => isMatch);
  if (latestRun?.failure && !hasMatch) {
    return <span className="block truncate text-sm font-normal text-danger">{latestRun.failure.message}</span>;
  }
  return (
    <span className="block truncate text-sm font-normal text-muted" dir="auto">
      {parts.length === 0 && 'No text'}
      {withPositions(parts).map(({ text, isMatch, position }) =>
        isMatch ? (
          <mark key={position} className="rounded-sm bg-warn-soft text-ink">
            {text}
          </mark>
        ) : (
          <span key={position}>{text}</span>
        ),
      )}
    </span>
  );
}

type Part = NonNullable<Row['excerpt']>['parts'][number];

/** The parts, each with its position in the text. */
function withPositions(parts: readonly Part[]) {
  let end = 0;
  return parts.map((part) => {
    const position = end;
    end += part.text.length;
    return { ...part, position };
  });
}
