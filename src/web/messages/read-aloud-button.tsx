import { useEffect, useId, useSyncExternalStore } from 'react';
import { texts } from '../texts/current.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { canRead, isReading, read, stopReading, subscribeToReading } from './reading.ts';
import { spokenText } from './spoken-text.ts';

/** Reads a reply with the voice of the browser. A second click stops it. Hidden if the browser cannot speak. */
export function ReadAloudButton({ text }: { readonly text: string }) {
  const t = texts().message;
  const id = useId();
  const isOn = useSyncExternalStore(subscribeToReading, () => isReading(id));
  useEffect(() => () => stopReading(id), [id]);
  if (!canRead()) return null;
  const label = isOn ? t.stopReading : t.readAloud;
  return (
    <Button
      look="quiet"
      small
      aria-label={label}
      title={label}
      onClick={() => (isOn ? stopReading(id) : read(id, spokenText(text)))}
    >
      <Icon name={isOn ? 'stop' : 'sound'} className="size-4" />
    </Button>
  );
}
