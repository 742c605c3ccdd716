import { useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';

/** A chat with the demo. The hosted page, which starts a session of a visitor, loads after a click. */
export function TryIt({ path }: { readonly path: string }) {
  const [isOpen, setOpen] = useState(false);
  const frame = useRef<HTMLIFrameElement>(null);
  // The button that had the focus is gone.
  useEffect(() => (isOpen ? frame.current?.focus() : undefined), [isOpen]);
  return (
    <section aria-labelledby="try-it">
      <h2 id="try-it" className="mb-2 text-lg font-semibold">
        Try it
      </h2>
      {isOpen ? (
        <iframe
          ref={frame}
          title="Chat with the demo"
          src={path}
          allow="clipboard-write"
          className="h-144 max-h-[80dvh] w-full rounded-xl border border-line bg-surface"
        />
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-4 rounded-xl border border-line bg-surface p-4">
          <p className="text-muted">Chat with the demo on this page. Your first message starts a conversation.</p>
          <Button look="primary" onClick={() => setOpen(true)}>
            Start a chat
          </Button>
        </div>
      )}
    </section>
  );
}
