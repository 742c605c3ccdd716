import type { ResultOf, VariablesOf } from 'gql.tada';
import { useRef, useState } from 'react';
import { useClient } from 'urql';
import type { MessageContent } from '../../../../sdk/index.ts';
import type { RequestError } from '../../request-error.ts';
import { mutationResult, type PayloadOf } from '../../requests.ts';
import { TEST_DRAFT } from '../documents.ts';

/** A message to the draft and its result. */
export interface DraftTest {
  readonly key: number;
  readonly content: MessageContent;
  /** Undefined while the request is in progress. */
  readonly result?: {
    readonly data?: PayloadOf<ResultOf<typeof TEST_DRAFT>>['run'] | undefined;
    readonly error?: RequestError | undefined;
  };
}

/** Sends messages to the draft. A test changes no data of the dashboard, so it refreshes no query. */
export function useDraftTests(workflowId: number) {
  const client = useClient();
  const [tests, setTests] = useState<readonly DraftTest[]>([]);
  const lastKey = useRef(0);
  const run = async (content: MessageContent, variables: Record<string, string>) => {
    lastKey.current += 1;
    const key = lastKey.current;
    setTests((current) => [...current, { key, content }]);
    const named = Object.entries(variables).map(([name, value]) => ({ name, value }));
    const input = { workflowId, content: content.map(inputOf), variables: named };
    const { data, error } = mutationResult(await client.mutation(TEST_DRAFT, { input }).toPromise());
    const result = error ? { error } : { data: data.run };
    setTests((current) => current.map((test) => (test.key === key ? { ...test, result } : test)));
  };
  const isRunning = tests.some(({ result }) => result === undefined);
  return { tests, run, isRunning, clear: () => setTests([]) };
}

type PartInput = NonNullable<VariablesOf<typeof TEST_DRAFT>['input']['content']>[number];

/** A part as GraphQL takes it: one field, which is named after the type of the part. */
function inputOf(part: MessageContent[number]): PartInput {
  if (part.type === 'text') return { text: part.text };
  const { type, ...file } = part;
  return { [type]: file } as PartInput;
}
