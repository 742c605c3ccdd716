import { useApolloClient } from '@apollo/client/react';
import { payloadOf } from './failure.ts';
import type { ItemFragment, RowFragment } from './gql/graphql.ts';
import { ANSWER } from './operations.ts';
import { useAction } from './use-action.ts';

interface Props {
  readonly item: ItemFragment;
  readonly conversation: RowFragment;
}

export function TimelineItem({ item, conversation }: Props) {
  if (item.__typename === 'Message') {
    const parts = item.content.map((part) => ('text' in part ? part.text : 'file' in part ? part.file?.name : ''));
    return (
      <li>
        <b>{item.role === 'USER' ? 'User' : 'Assistant'}</b> {parts.join(' · ')}
      </li>
    );
  }
  if (!('callStatus' in item)) return <li>The conversation is completed.</li>;
  const isApproval = item.__typename === 'ClientToolCall' && item.name === 'approve_action';
  return (
    <li>
      {item.summary} <small>{item.callStatus.toLowerCase()}</small>
      {isApproval && item.callStatus === 'PENDING' && item.answerableBy.includes('MEMBER') && (
        <Approval call={item} conversation={conversation} />
      )}
    </li>
  );
}

type Call = Extract<ItemFragment, { __typename: 'ClientToolCall' }>;

function Approval({ call, conversation }: { readonly call: Call; readonly conversation: RowFragment }) {
  const client = useApolloClient();
  const { run, isRunning, problem } = useAction();
  const { conversationId, deploymentId } = conversation;
  const answer = (approved: boolean) =>
    void run(async () => {
      const toolResults = [{ callId: call.callId, output: { approved } }];
      const input = { conversationId, deploymentId, background: true, toolResults };
      const { data } = await client.mutate({ mutation: ANSWER, variables: { input } });
      payloadOf(data?.resumeAgentTurn, 'ResumeAgentTurnPayload');
    });
  return (
    <div>
      <pre>{JSON.stringify(call.arguments.arguments, null, 2)}</pre>
      <button type="button" disabled={isRunning} onClick={() => answer(true)}>
        Approve
      </button>{' '}
      <button type="button" disabled={isRunning} onClick={() => answer(false)}>
        Refuse
      </button>
      {problem && <p role="alert">{problem}</p>}
    </div>
  );
}
