import { Link } from 'wouter';
import { Notice } from '../../../../ui/notice.tsx';
import { ExactTime } from '../../../../ui/time.tsx';
import { isUuid } from '../../../frame/filters.tsx';
import { Loaded } from '../../../frame/loaded.tsx';
import { useHref } from '../../../location.ts';
import { useServiceQuery } from '../../../requests.ts';
import { ChangeTable } from '../../../version-changes/change-table.tsx';
import type { Run } from '../documents.ts';
import { COMPARED_TURN, type ComparedTurn } from './documents.ts';
import { Measures } from './measures.tsx';
import { Picker } from './picker.tsx';
import { type StepTexts, textsOf } from './turn-text.ts';

/** Two turns side by side. Without another turn, only the fields that choose it. */
export function Comparison({ run, other }: { readonly run: Run; readonly other: string }) {
  return (
    <div className="flex flex-col gap-5">
      <Picker {...run} />
      {other !== '' && (isUuid(other) && other !== run.runId ? <Turns key={other} {...{ run, other }} /> : <Unknown />)}
    </div>
  );
}

const Unknown = () => (
  <Notice tone="warn">
    There is no other turn with this ID. Its conversation may have been deleted, or it belongs to the other environment.
  </Notice>
);

function Turns({ run, other }: { readonly run: Run; readonly other: string }) {
  const current = useServiceQuery(COMPARED_TURN, { id: run.runId });
  const query = useServiceQuery(COMPARED_TURN, { id: other });
  return (
    <Loaded query={current}>
      {({ run: mine }) => (
        <Loaded query={query}>
          {({ run: theirs }) => (mine && theirs ? <Sides other={theirs} current={mine} /> : <Unknown />)}
        </Loaded>
      )}
    </Loaded>
  );
}

interface SidesProps {
  readonly other: ComparedTurn;
  readonly current: ComparedTurn;
}

const NAMES: Readonly<Record<keyof StepTexts, string>> = {
  instructions: 'Instructions',
  tools: 'Offered tools',
  messages: 'Messages',
  answer: 'Answer',
};

function Sides({ other, current }: SidesProps) {
  const [before, after] = [lastStepOf(other), lastStepOf(current)];
  return (
    <>
      <OtherTurn {...other} />
      <Measures {...{ other, current }} />
      {before && after ? <Texts before={textsOf(before)} after={textsOf(after)} /> : <Missing />}
    </>
  );
}

function Texts({ before, after }: { readonly before: StepTexts; readonly after: StepTexts }) {
  const parts = Object.keys(NAMES) as (keyof StepTexts)[];
  const changes = parts
    .filter((part) => before[part] !== after[part])
    .map((part) => ({ path: NAMES[part], before: before[part], after: after[part] }));
  return (
    <>
      <p className="text-sm text-muted">
        {changes.length === 0
          ? 'The prompt and the answer of the last model steps are the same.'
          : 'What differs in the prompt and the answer of the last model step of each turn.'}
      </p>
      {changes.length > 0 && (
        <ChangeTable label="Prompt and answer" subject="Part" changes={changes} from="Other turn" to="This turn" />
      )}
    </>
  );
}

const Missing = () => (
  <Notice>
    One of the turns has no model step in its trace. It may have expired, or no step has ended. Only the measures can be
    compared.
  </Notice>
);

function OtherTurn({ runId, conversation, createdAt }: ComparedTurn) {
  const href = useHref();
  const at = <ExactTime at={createdAt} />;
  return (
    <p className="min-w-0 break-words">
      {'Other turn: '}
      {conversation ? (
        <Link
          to={href(`/conversations/${conversation.conversationId}/runs/${runId}`)}
          className="text-accent underline"
        >
          {conversation.name}, {at}
        </Link>
      ) : (
        at
      )}
    </p>
  );
}

/** The last step that answered the conversation. */
function lastStepOf({ trace }: ComparedTurn) {
  return trace?.spans.nodes
    .flatMap((span) => (span.__typename === 'ModelStepSpan' && !span.isSummary ? span : []))
    .at(-1);
}
