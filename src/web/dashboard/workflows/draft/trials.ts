import type { ResultOf } from 'gql.tada';
import { useRef, useState } from 'react';
import { useClient } from 'urql';
import type { MessageContent } from '../../../../sdk/index.ts';
import { type Fault, faultOf } from '../../fault.ts';
import { TEST_DRAFT } from '../documents.ts';

/** A message to the draft, and what came of it. */
export interface Trial {
  readonly key: number;
  readonly content: MessageContent;
  /** Undefined until there is one. */
  readonly answer?: { readonly run?: ResultOf<typeof TEST_DRAFT>['testDraft'] | undefined; readonly fault?: Fault };
}

/** Asks the draft, message by message. It changes nothing that any page shows, so nothing is read again for it. */
export function useTrials(workflowId: number) {
  const client = useClient();
  const [trials, setTrials] = useState<readonly Trial[]>([]);
  const next = useRef(0);
  const ask = async (content: MessageContent, variables: Record<string, string>) => {
    next.current += 1;
    const key = next.current;
    setTrials((before) => [...before, { key, content }]);
    const input = { content: [...content], variables };
    const { data, error } = await client.mutation(TEST_DRAFT, { workflowId, input }).toPromise();
    const answer = error ? { fault: faultOf(error) } : { run: data?.testDraft };
    setTrials((before) => before.map((trial) => (trial.key === key ? { ...trial, answer } : trial)));
  };
  const isAsking = trials.some(({ answer }) => answer === undefined);
  return { trials, ask, isAsking, clear: () => setTrials([]) };
}
