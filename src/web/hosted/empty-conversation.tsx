import type { ReactNode } from 'react';
import type { PageBranding } from '../../contract/branding/branding.ts';
import { texts } from '../texts/current.ts';
import { Button } from '../ui/button.tsx';

interface Props {
  readonly branding: Pick<PageBranding, 'suggestedPrompts'>;
  /** The greeting of the deployment, or of the page. */
  readonly children: ReactNode;
  /** Undefined while messages cannot be sent. */
  readonly onPrompt: ((prompt: string) => void) | undefined;
}

/** What a conversation shows before its first message. */
export function EmptyConversation({ branding: { suggestedPrompts }, children, onPrompt }: Props) {
  return (
    <div className="flex min-h-[55dvh] flex-col items-center justify-center gap-3 py-12 text-center">
      {children}
      {suggestedPrompts.length > 0 && (
        <ul aria-label={texts().page.suggestions} className="mt-4 flex flex-wrap justify-center gap-2">
          {suggestedPrompts.map((prompt) => (
            <li key={prompt} className="max-w-full">
              <Button className="max-w-full py-2 text-start" disabled={!onPrompt} onClick={() => onPrompt?.(prompt)}>
                <bdi>{prompt}</bdi>
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
