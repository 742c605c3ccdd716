import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** Puts a text on the clipboard, and says that it has. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [said, say] = useState<string>();
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => say(undefined), 2_000);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => say('Copied'),
      () => say('Select it and copy'),
    );
  return (
    <Button look="quiet" small onClick={copy}>
      <Icon name={said === 'Copied' ? 'check' : 'copy'} className="size-4" />
      <span aria-live="polite">{said ?? label}</span>
    </Button>
  );
}
