import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  readonly children: ReactNode;
  /** A button or link. */
  readonly action?: ReactNode;
}

/** A notice that replaces the conversation. */
export function PageState({ title, children, action }: Props) {
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-3 overflow-y-auto p-6 text-center">
      <h2 className="text-2xl font-semibold">{title}</h2>
      <p className="max-w-md text-muted">{children}</p>
      {action && <div className="mt-2">{action}</div>}
    </div>
  );
}
