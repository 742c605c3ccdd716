import { useEffect, useState } from 'react';
import { texts } from '../texts/current.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** Copies a text to the clipboard and confirms it. */
export function CopyButton({
  text,
  label = texts().ui.copy,
  isIcon = false,
}: {
  readonly text: string;
  readonly label?: string | undefined;
  /** Shows the label only as a tooltip. */
  readonly isIcon?: boolean;
}) {
  const t = texts().ui;
  const [outcome, setOutcome] = useState<'copied' | 'copyFailed'>();
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(undefined), 2_000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setOutcome('copied'),
      () => setOutcome('copyFailed'),
    );
  return (
    <Button look="quiet" small onClick={copy} title={isIcon ? label : undefined} className="whitespace-nowrap">
      <Icon name={outcome === 'copied' ? 'check' : 'copy'} className="size-4" />
      <span aria-live="polite" className={isIcon && outcome !== 'copyFailed' ? 'sr-only' : ''}>
        {outcome ? t[outcome] : label}
      </span>
    </Button>
  );
}
