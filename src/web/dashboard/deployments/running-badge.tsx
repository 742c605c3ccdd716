import { Badge } from '../../ui/notice.tsx';

interface Props {
  readonly publishedVersion: number | null;
  readonly hasUnpublishedChanges: boolean;
  /** The number of the newest version, if the draft is equal to it. */
  readonly draftVersion: number | null;
}

/** The published version, and whether the draft differs from it. */
export function RunningBadge({ publishedVersion, hasUnpublishedChanges, draftVersion }: Props) {
  if (publishedVersion === null) return <Badge>Not published</Badge>;
  return (
    <span className="inline-flex flex-wrap justify-end gap-2 md:justify-start">
      <Badge tone="ok">Version {publishedVersion}</Badge>
      {hasUnpublishedChanges && <DraftBadge draftVersion={draftVersion} />}
    </span>
  );
}

/** After a rollback the draft has no unpublished changes: it is a newer version than the running one. */
export function DraftBadge({ draftVersion }: Pick<Props, 'draftVersion'>) {
  return draftVersion === null ? (
    <Badge tone="warn">Unpublished changes</Badge>
  ) : (
    <Badge>Version {draftVersion} is newer</Badge>
  );
}
