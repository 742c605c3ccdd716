import { Icon } from '../../ui/icon.tsx';
import { formatCount } from '../../ui/numbers.ts';

interface Props {
  readonly up: number;
  readonly down: number;
}

/** How many replies of a conversation were rated up and down. Nothing without ratings. */
export function RatingMarks({ up, down }: Props) {
  if (up + down === 0) return null;
  return (
    <span className="ml-2 inline-flex gap-3 align-middle text-sm text-muted">
      {up > 0 && <Mark icon="thumbUp" count={up} label="helpful" />}
      {down > 0 && <Mark icon="thumbDown" count={down} label="not helpful" />}
    </span>
  );
}

interface MarkProps {
  readonly icon: 'thumbUp' | 'thumbDown';
  readonly count: number;
  readonly label: string;
}

function Mark({ icon, count, label }: MarkProps) {
  return (
    <span className="inline-flex items-center gap-1" title={`${formatCount(count)} ${label}`}>
      <Icon name={icon} className="size-4" />
      {formatCount(count)} <span className="sr-only">{label}</span>
    </span>
  );
}
