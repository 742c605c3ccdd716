import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

const TONES: Readonly<Record<string, { readonly look: string; readonly icon?: IconName }>> = {
  neutral: { look: 'bg-sunken text-ink' },
  accent: { look: 'bg-accent-soft text-accent' },
  ok: { look: 'bg-ok-soft text-ok', icon: 'check' },
  warn: { look: 'bg-warn-soft text-warn', icon: 'warning' },
  danger: { look: 'bg-danger-soft text-danger', icon: 'warning' },
};

export type Tone = 'neutral' | 'accent' | 'ok' | 'warn' | 'danger';

interface NoticeProps {
  readonly tone?: Tone;
  readonly children: ReactNode;
  /** A button that helps the user to go on. */
  readonly action?: ReactNode;
}

/** A message in the page. Screen readers announce `danger` at once. */
export function Notice({ tone = 'neutral', children, action }: NoticeProps) {
  const { look, icon } = TONES[tone] ?? {};
  return (
    <div
      role={tone === 'danger' ? 'alert' : 'status'}
      className={`flex flex-wrap items-center gap-3 rounded-lg px-4 py-3 ${look}`}
    >
      <div className="flex min-w-0 flex-1 basis-48 items-start gap-3">
        {icon && <Icon name={icon} className="mt-0.5 size-5" />}
        <div className="min-w-0 flex-1">{children}</div>
      </div>
      {action}
    </div>
  );
}

/** A state in one or two words. */
export function Badge({ tone = 'neutral', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span
      className={`inline-block whitespace-nowrap rounded-full px-2.5 py-0.5 text-sm font-medium ${TONES[tone]?.look}`}
    >
      {children}
    </span>
  );
}
