/** SVG paths on a grid of 24 by 24. */
const PATHS = {
  attach: 'M21 11.5 12.5 20a5.5 5.5 0 0 1-8-7.8L13 3.8a3.7 3.7 0 0 1 5.3 5.2l-8.4 8.5a1.8 1.8 0 0 1-2.6-2.6l7.8-7.9',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  chevron: 'm9 5 7 7-7 7',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  file: 'M14 3H6v18h12V7zM14 3v4h4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  plus: 'M12 5v14M5 12h14',
  retry: 'M20 11a8 8 0 1 0-2.3 6.3M20 5v6h-6',
  send: 'M5 12h13M12 5l7 7-7 7',
  stop: 'M7 7h10v10H7z',
  tool: 'M14.5 6.5a4 4 0 0 0-5.3 5l-5.7 5.7 3.3 3.3 5.7-5.7a4 4 0 0 0 5-5.3l-2.4 2.4-2.6-.4-.4-2.6z',
  warning: 'M12 4 2.5 20h19zM12 10v5M12 17.5v.5',
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon. Screen readers skip it, so the text next to it or the button's label must suffice. */
export function Icon({ name, className = 'size-5' }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      className={`shrink-0 ${className}`}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
