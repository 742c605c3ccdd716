import { Changes } from '../build/changes.tsx';
import { useReading } from '../requests.ts';
import { Loaded } from '../shell/loaded.tsx';
import { VERSION_DIFF } from './documents.ts';

interface Props {
  readonly workflowId: number;
  /** Numbers of versions; null for the draft. */
  readonly from: number | null;
  readonly to: number | null;
}

export const versionName = (number: number | null): string => (number === null ? 'The draft' : `Version ${number}`);

/** What leads from one version to another. What was read of two others is never shown for these. */
export function VersionChanges(props: Props) {
  return <Read key={`${props.from} ${props.to}`} {...props} />;
}

function Read({ workflowId, from, to }: Props) {
  const reading = useReading(VERSION_DIFF, { workflowId, from, to });
  const names = { from: versionName(from), to: versionName(to) };
  return (
    <Loaded reading={reading}>
      {({ workflowVersionDiff }) => (
        <Changes label={`${names.from} and ${names.to}`} changes={workflowVersionDiff} {...names} />
      )}
    </Loaded>
  );
}
