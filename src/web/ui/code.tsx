import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';

interface Props {
  readonly children: ReactNode;
  readonly className?: string;
}

/** Preformatted text. Long lines scroll inside the block. */
export function Code({ children, className = '' }: Props) {
  const look = `overflow-x-auto p-3 font-mono text-sm leading-relaxed ${className}`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <pre dir="ltr" tabIndex={0} className={look}>
      {children}
    </pre>
  );
}

/** Preformatted text with a label and a copy button. */
export function CodeBlock({
  text,
  label,
  copyLabel,
}: {
  readonly text: string;
  readonly label: string;
  /** The text of the button. Set it if a page has several blocks. */
  readonly copyLabel?: string;
}) {
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-sunken">
      <div className="flex items-center justify-between border-b border-line ps-3">
        <span className="text-sm text-muted">{label}</span>
        <CopyButton text={text} label={copyLabel} />
      </div>
      <Code>{text}</Code>
    </div>
  );
}
