import { texts } from '../texts/current.ts';

/** Says who types. Always rendered, so that screen readers announce it: once each time that the person begins. */
export function TypingLine({ name }: { readonly name: string | null }) {
  return (
    // Without a name it takes no space.
    <div role="status" className={name === null ? 'sr-only' : 'min-w-0 break-words text-sm text-muted'}>
      {name !== null && <p>{texts().handling.typing(name)}</p>}
    </div>
  );
}
