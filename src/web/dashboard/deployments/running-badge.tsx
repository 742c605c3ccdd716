import { Badge } from '../../ui/notice.tsx';

interface Props {
  readonly publishedVersion: number | null;
  readonly hasUnpublishedChanges: boolean;
}

/** What a deployment runs, and whether its workflow's draft is ahead of that. */
export function RunningBadge({ publishedVersion, hasUnpublishedChanges }: Props) {
  if (publishedVersion === null) return <Badge>Not published</Badge>;
  return (
    <span className="inline-flex flex-wrap justify-end gap-2 md:justify-start">
      <Badge tone="ok">Version {publishedVersion}</Badge>
      {hasUnpublishedChanges && <Badge tone="warn">Unpublished changes</Badge>}
    </span>
  );
}
