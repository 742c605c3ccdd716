import type { ResultOf } from 'gql.tada';
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { useRound } from '../../calls/use-round.ts';
import { enhancement, retried } from '../../ui/load.ts';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ReadOnlyNotice, Section } from '../frame/page-frame.tsx';
import { HandlingBar } from '../handling/handling-bar.tsx';
import type { Person } from '../handling/presence.tsx';
import { PresentPeople } from '../handling/present-people.tsx';
import { usePermission } from '../session/session.ts';
import { AnswerSent } from './answer-sent.tsx';
import type { CONVERSATION } from './documents.ts';
import { LiveTimeline } from './live-timeline.tsx';
import { useConversation } from './use-conversation.ts';

// Most conversations wait for no answer.
const PendingCalls = lazy(async () => ({
  default: (await retried(() => import('./pending-calls.tsx'))).PendingCalls,
}));

// Only the member who answers needs it.
const MemberComposer = lazy(async () => ({
  default: (await retried(() => import('../handling/member-composer.tsx'))).MemberComposer,
}));

const presence = enhancement(() => import('../handling/presence.tsx'));

// They are below the timeline, and load after the page.
const notes = enhancement(() => import('../handling/notes.tsx'));

interface Props {
  readonly conversation: NonNullable<ResultOf<typeof CONVERSATION>['conversation']>;
  /** A link to what the member can do after an answer. */
  readonly next?: ReactNode;
}

/** Who answers, the timeline, the forms of the calls that wait, and the message field of the member who answers. */
export function Content({ conversation, next }: Props) {
  const { conversationId: id, deploymentId, handling } = conversation;
  const canWrite = usePermission('conversations:write');
  const canHandle = usePermission('conversations:handle');
  const agent = useConversation(id, deploymentId);
  const round = useRound(agent);
  const below = notes.useModule();
  const [others, setOthers] = useState<readonly Person[]>([]);
  const typing = useRef<(text: string) => void>(() => {});
  const reports = presence.useModule();
  const isMine = handling.mode === 'MEMBER' && handling.isMine;
  return (
    <div className="in-order flex min-w-0 flex-col gap-6">
      {reports && <reports.Presence id={id} onOthers={setOthers} typing={typing} />}
      <HandlingBar conversation={conversation} isRunning={agent.status === 'running'} />
      <Section title="Timeline">
        <LiveTimeline {...{ conversation, agent, canWrite }} />
      </Section>
      {round.calls.length > 0 && (
        <Section title="Waiting for an answer">
          {canWrite ? (
            <Suspense fallback={<Skeleton rows={3} />}>
              <PendingCalls {...{ id, agent, round }} takesFocus={false} />
            </Suspense>
          ) : (
            <ReadOnlyNotice subject="the calls that wait" />
          )}
        </Section>
      )}
      {round.calls.length === 0 && round.note && <Notice>{round.note}</Notice>}
      {round.calls.length === 0 && round.isAnswered && <AnswerSent>{next}</AnswerSent>}
      {!isMine && <PresentPeople others={others} />}
      {isMine && (
        <div className="sticky bottom-0 z-10 flex flex-col gap-2 bg-canvas pt-2 pb-2">
          <PresentPeople others={others} />
          <Suspense fallback={null}>
            <MemberComposer id={id} onType={(text) => typing.current(text)} />
          </Suspense>
        </div>
      )}
      {canHandle && conversation.notes && (
        <Section title="Notes">
          {below ? <below.Notes id={id} notes={conversation.notes} /> : <Skeleton rows={1} height="h-44" />}
        </Section>
      )}
    </div>
  );
}
