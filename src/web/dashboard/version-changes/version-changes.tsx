import { Loaded } from '../frame/loaded.tsx';
import { useServiceQuery } from '../requests.ts';
import { ChangeTable } from './change-table.tsx';
import { VERSION_DIFF } from './documents.ts';

interface Props {
  readonly workflowId: number;
  /** Version numbers. Null is the draft. */
  readonly from: number | null;
  readonly to: number | null;
}

export const versionName = (number: number | null): string => (number === null ? 'Draft' : `Version ${number}`);

/** The differences between two versions. The key remounts it, so it never shows the differences of other versions. */
export function VersionChanges(props: Props) {
  return <Differences key={`${props.from} ${props.to}`} {...props} />;
}

function Differences({ workflowId, from, to }: Props) {
  const query = useServiceQuery(VERSION_DIFF, { workflowId: String(workflowId), from, to });
  const names = { from: versionName(from), to: versionName(to) };
  return (
    <Loaded query={query}>
      {({ workflowVersionDiff }) => (
        <ChangeTable label={`${names.from} and ${names.to}`} changes={workflowVersionDiff} {...names} />
      )}
    </Loaded>
  );
}
