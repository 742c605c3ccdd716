import type { ResultOf } from 'gql.tada';
import { enumValueIn } from '../../../contract/enum-names.ts';
import { SCOPES } from '../../../contract/scopes.ts';
import { Notice } from '../../ui/notice.tsx';
import { formatCount } from '../../ui/numbers.ts';
import { Fact, Facts } from '../frame/expandable.tsx';
import type { CHECK_DOCUMENT } from './documents.ts';

export type Check = ResultOf<typeof CHECK_DOCUMENT>['documentCheck'];

interface ProblemsProps {
  readonly problems: Check['problems'];
  /** Moves the caret to the problem. A text that cannot be edited has no caret. */
  readonly onSelect?: (problem: Check['problems'][number]) => void;
}

/** What prevents the publication. Each problem leads to its place in the text. */
export function Problems({ problems, onSelect }: ProblemsProps) {
  if (problems.length === 0) return null;
  return (
    <Notice tone="danger">
      <p className="font-medium">This text cannot be published:</p>
      <ul aria-label="Problems" className="mt-1 flex flex-col gap-1">
        {problems.map((problem) => (
          <li key={`${problem.line}:${problem.column}:${problem.message}`}>
            {onSelect ? (
              <button
                type="button"
                onClick={() => onSelect(problem)}
                className="cursor-pointer rounded text-left underline decoration-1 underline-offset-2 hover:no-underline"
              >
                {placeOf(problem)}
              </button>
            ) : (
              placeOf(problem)
            )}
            {`: ${problem.message}`}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

const placeOf = ({ line, column }: Check['problems'][number]) => `Line ${line}, column ${column}`;

/** How callers would call the text, and what they need. */
export function CheckFacts({ check: { route, scopes, maxCost, trustedId } }: { readonly check: Check }) {
  if (!route || !scopes || maxCost === null) return null;
  return (
    <Facts>
      <Fact name="REST">
        <code className="wrap-anywhere font-mono text-sm">
          {route.method} {route.path}
        </code>
      </Fact>
      {route.parameters.length > 0 && (
        <Fact name="Parameters">
          <ul>
            {route.parameters.map(({ name, place, type, required }) => (
              <li key={name}>
                <code className="font-mono text-sm">{`${name}: ${type}`}</code>
                <span className="text-sm text-muted">{` in the ${PLACES[place]}${required ? ', required' : ''}`}</span>
              </li>
            ))}
          </ul>
        </Fact>
      )}
      <Fact name="Scopes of callers">
        {scopes.length === 0 ? (
          'Any credential'
        ) : (
          <code className="font-mono text-sm">{scopes.map((scope) => enumValueIn(SCOPES, scope)).join(', ')}</code>
        )}
      </Fact>
      <Fact name="Highest cost">{formatCount(maxCost)}</Fact>
      <Fact name="Trusted ID">
        <code className="wrap-anywhere font-mono text-sm">{trustedId}</code>
      </Fact>
    </Facts>
  );
}

const PLACES = { PATH: 'path', QUERY: 'query', HEADER: 'header', BODY: 'body' } as const;

export function BreakingChanges({ changes }: { readonly changes: readonly string[] }) {
  return (
    <ul aria-label="Breaking changes" className="list-disc pl-5">
      {changes.map((change) => (
        <li key={change} className="break-words">
          {change}
        </li>
      ))}
    </ul>
  );
}
