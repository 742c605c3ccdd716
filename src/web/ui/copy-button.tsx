import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** Copies a text to the clipboard and confirms it. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [outcome, setOutcome] = useState<string>();
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(undefined), 2_000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setOutcome('Copied'),
      () => setOutcome('Copy failed. Select the text.'),
    );
  return (
    <Button look="quiet" small onClick={copy}>
      <Icon name={outcome === 'Copied' ? 'check' : 'copy'} className="size-4" />
      <span aria-live="polite">{outcome ?? label}</span>
    </Button>
  );
}
