import { useApolloClient, useQuery } from '@apollo/client/react';
import type { FormEvent } from 'react';
import { payloadOf } from './failure.ts';
import type { ContentPartInput, RowFragment } from './gql/graphql.ts';
import { DEPLOYMENTS, SEND } from './operations.ts';
import { upload } from './upload.ts';
import { useAction } from './use-action.ts';

interface Props {
  /** The conversation to continue. Without one, the message starts a conversation. */
  readonly conversation?: RowFragment;
  readonly onStarted?: (conversationId: string) => void;
}

export function Composer({ conversation, onStarted }: Props) {
  const client = useApolloClient();
  const { data } = useQuery(DEPLOYMENTS, { skip: conversation !== undefined });
  const agents = data?.deployments.nodes.filter(({ kind }) => kind === 'AGENT') ?? [];
  const { run, isRunning, problem } = useAction();

  async function send(form: FormData): Promise<void> {
    const deploymentId = conversation?.deploymentId ?? `${form.get('deployment')}`;
    const owner = conversation ? { conversationId: conversation.conversationId } : { deploymentId };
    const file = form.get('file');
    const content: ContentPartInput[] = [{ text: `${form.get('text')}` }];
    if (file instanceof File && file.size > 0) content.push(await upload(client, file, owner));
    // In the background: the feed of the conversation brings the turn.
    const input = { ...owner, deploymentId, content, background: true };
    const { data: sent } = await client.mutate({ mutation: SEND, variables: { input } });
    const { turn } = payloadOf(sent?.runAgentTurn, 'RunAgentTurnPayload');
    if ('conversationId' in turn) onStarted?.(turn.conversationId);
  }

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    void run(async () => {
      await send(new FormData(form));
      form.reset();
    });
  };
  return (
    <form onSubmit={submit}>
      {!conversation && (
        <select name="deployment" aria-label="Agent" required>
          {agents.map(({ id, deploymentId, name }) => (
            <option key={id} value={deploymentId}>
              {name}
            </option>
          ))}
        </select>
      )}
      <textarea name="text" aria-label="Message" required />
      <input name="file" type="file" aria-label="File" />
      <button type="submit" disabled={isRunning}>
        Send
      </button>
      {problem && <p role="alert">{problem}</p>}
    </form>
  );
}
