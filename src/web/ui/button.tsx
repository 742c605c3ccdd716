import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { texts } from '../texts/current.ts';

const LOOKS = {
  primary: 'border-transparent bg-accent text-on-accent shadow-sm hover:opacity-90',
  plain: 'border-line bg-surface text-ink shadow-sm hover:bg-sunken',
  quiet: 'border-transparent text-ink hover:bg-sunken',
  /** Opens a question about something that cannot be undone. It is not the main action of a page, so it is not filled. */
  danger: 'border-line bg-surface text-danger shadow-sm hover:bg-danger-soft',
  /** Does it: the button of the question. */
  destroy: 'border-transparent bg-danger text-on-accent hover:opacity-90',
} as const;

interface Look {
  readonly look?: keyof typeof LOOKS | undefined;
  readonly small?: boolean | undefined;
}

interface Props extends Look, ButtonHTMLAttributes<HTMLButtonElement> {
  /** Shows a spinner and ignores clicks. */
  readonly busy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
  readonly children: ReactNode;
}

/** The classes of a button, for controls that render their own. */
export function buttonClass({ look = 'plain', small = false }: Look = {}): string {
  const size = small ? 'min-h-8 px-2.5 text-sm' : 'min-h-10 px-4';
  return `inline-flex cursor-pointer items-center justify-center gap-2 rounded-lg border font-medium transition disabled:cursor-not-allowed disabled:opacity-55 ${size} ${LOOKS[look]}`;
}

export function Button({ look, small, busy = false, className = '', children, ...rest }: Props) {
  return (
    <button
      type="button"
      aria-busy={busy || undefined}
      {...rest}
      disabled={busy || rest.disabled}
      className={`${buttonClass({ look, small })} ${className}`}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
}

/** A progress indicator without an accessible name. Put text next to it. */
export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="inline-block size-4 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  );
}

/** A progress indicator with text, announced by screen readers. */
export function Loading({ children = texts().ui.loading }: { readonly children?: ReactNode }) {
  return (
    <p role="status" className="flex items-center gap-2 text-muted">
      <Spinner /> {children}
    </p>
  );
}
