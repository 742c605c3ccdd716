import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';

const LOOKS = {
  primary: 'border-transparent bg-accent text-on-accent hover:opacity-90',
  plain: 'border-line bg-surface text-ink hover:bg-sunken',
  quiet: 'border-transparent text-ink hover:bg-sunken',
  danger: 'border-transparent bg-danger-soft text-danger hover:opacity-90',
} as const;

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: keyof typeof LOOKS;
  readonly small?: boolean;
  /** At work: it says so, and takes no second click. */
  readonly busy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
  readonly children: ReactNode;
}

export function Button({ look = 'plain', small = false, busy = false, className = '', children, ...rest }: Props) {
  const size = small ? 'min-h-8 px-2.5 text-sm' : 'min-h-10 px-4';
  return (
    <button
      type="button"
      aria-busy={busy || undefined}
      {...rest}
      disabled={busy || rest.disabled}
      className={`inline-flex cursor-pointer items-center justify-center gap-2 rounded-lg border font-medium transition disabled:cursor-not-allowed disabled:opacity-55 ${size} ${LOOKS[look]} ${className}`}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
}

/** Something is under way; whatever stands beside it says what. */
export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="inline-block size-4 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  );
}
