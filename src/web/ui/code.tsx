import type { ReactNode } from 'react';

/** Lines that keep their breaks. What is longer than the page scrolls within it, by keyboard too. */
export function Code({ children, className = '' }: { readonly children: ReactNode; readonly className?: string }) {
  const look = `overflow-x-auto p-3 font-mono text-sm leading-relaxed ${className}`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <pre tabIndex={0} className={look}>
      {children}
    </pre>
  );
}
