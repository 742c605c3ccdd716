import { type RefObject, useState } from 'react';
import type { MessageContent } from '../../sdk/index.ts';
import type { Beginning } from '../messages/composer.tsx';

/** A prompt that ends like this is the beginning of a message, which the user completes. */
const UNFINISHED = /(…|\.\.\.|:)\s*$/;

export interface Prompts {
  /** Sends a suggested prompt, or writes its beginning into the message field. */
  choose(prompt: string): void;
  /** The beginning that the user has chosen. */
  readonly beginning: Beginning | undefined;
}

/** What happens when the user chooses a suggested prompt. */
export function usePrompts(
  field: RefObject<HTMLTextAreaElement | null>,
  send: (content: MessageContent) => Promise<unknown>,
): Prompts {
  const [beginning, setBeginning] = useState<Beginning>();
  return {
    choose(prompt) {
      if (!UNFINISHED.test(prompt)) return void send([{ type: 'text', text: prompt }]).catch(() => {});
      setBeginning({ text: `${prompt.replace(/(…|\.\.\.)\s*$/, '').trimEnd()} ` });
      field.current?.focus();
    },
    beginning,
  };
}
