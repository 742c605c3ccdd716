interface Props {
  /** Lines of text or of a table. */
  readonly rows?: number;
  /** The height of a line, as a class. */
  readonly height?: string;
  readonly className?: string;
}

/** The shape of content that is loading. It takes the room of the content, so that nothing moves afterwards. */
export function Skeleton({ rows = 4, height = 'h-11', className = '' }: Props) {
  return (
    <div role="status" data-skeleton className={`flex flex-col gap-2 ${className}`}>
      <span className="sr-only">Loading</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all lines are equal
        <div key={row} aria-hidden="true" className={`animate-pulse rounded-lg bg-sunken ${height}`} />
      ))}
    </div>
  );
}
