import type { ReactNode } from 'react';
import { Link } from 'wouter';

const LOOKS = {
  /** Views of a page, under its title. */
  line: {
    nav: '-mx-4 overflow-x-auto border-b border-line px-4 md:mx-0 md:px-0',
    list: 'flex gap-1',
    link: 'block whitespace-nowrap border-b-2 border-transparent px-3 py-2 text-muted hover:text-ink aria-[current]:border-accent aria-[current]:font-medium aria-[current]:text-ink',
  },
  /** Variants of a list, above it. */
  pill: {
    nav: 'min-w-0 max-w-full overflow-x-auto',
    list: 'flex gap-1',
    link: 'block whitespace-nowrap rounded-full border border-line px-3 py-1 text-sm hover:bg-sunken aria-[current]:border-transparent aria-[current]:bg-accent-soft aria-[current]:font-medium aria-[current]:text-accent',
  },
  /** Parts of a long form, next to it. */
  side: {
    nav: 'below-header',
    list: 'flex flex-col gap-0.5',
    link: 'flex min-h-10 items-center justify-between gap-2 rounded-lg px-3 py-1.5 text-muted transition-colors hover:bg-sunken hover:text-ink aria-[current]:bg-accent-soft aria-[current]:font-medium aria-[current]:text-accent',
  },
} as const;

interface Props {
  readonly label: string;
  readonly look: keyof typeof LOOKS;
  readonly className?: string;
  readonly tabs: readonly {
    readonly key: string;
    readonly to: string;
    readonly isCurrent: boolean;
    readonly content: ReactNode;
  }[];
}

/**
 * Links to views of one page, each with its own URL. They are links and not tabs of ARIA: they work with the history, can
 * be opened in another window, and the Tab key reaches each of them.
 */
export function TabLinks({ label, look, className = '', tabs }: Props) {
  const { nav, list, link } = LOOKS[look];
  return (
    <nav aria-label={label} className={`${nav} ${className}`}>
      <ul className={list}>
        {tabs.map(({ key, to, isCurrent, content }) => (
          <li key={key}>
            <Link to={to} aria-current={isCurrent ? 'page' : undefined} className={link}>
              {content}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
