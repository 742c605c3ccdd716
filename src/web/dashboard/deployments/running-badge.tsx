import { Badge } from '../../ui/notice.tsx';

interface Props {
  readonly publishedVersion: number | null;
  readonly hasUnpublishedChanges: boolean;
}

/** The published version, and whether the draft differs from it. */
export function RunningBadge({ publishedVersion, hasUnpublishedChanges }: Props) {
  if (publishedVersion === null) return <Badge>Not published</Badge>;
  return (
    <span className="inline-flex flex-wrap justify-end gap-2 md:justify-start">
      <Badge tone="ok">Version {publishedVersion}</Badge>
      {hasUnpublishedChanges && <Badge tone="warn">Unpublished changes</Badge>}
    </span>
  );
}
