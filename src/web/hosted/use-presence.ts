import { useCallback, useEffect, useState } from 'react';
import type { Handling } from '../../sdk/index.ts';
import { createPresence } from './presence.ts';
import { useVisible } from './requests.ts';
import { useTyping } from './use-typing.ts';
import type { UserSession } from './user-session.ts';

interface PageParts {
  readonly deploymentId: string;
  /** Undefined for a visitor. */
  readonly user: UserSession | undefined;
  /** Null in a new conversation. */
  readonly conversationId: string | null;
  /** Null while the assistant answers. */
  readonly handling: Handling | null;
}

export interface PagePresence {
  /** The name of the person who types. Null: nobody does. */
  readonly typist: string | null;
  /** Takes the text of the composer each time that the user changes or sends it. */
  onType(text: string): void;
}

/** Who types in the conversation of a page, only while a person has it. Reports that the user types if a person will read it. */
export function usePresence({ deploymentId, user, conversationId, handling }: PageParts): PagePresence {
  const [presence] = useState(() => createPresence(deploymentId, user));
  const [typist, setTypist] = useState<string | null>(null);
  // A browser has few connections to a host. The stream of a hidden tab would take one from the chats of others.
  const isFollowed = useVisible() && handling?.mode === 'member';
  const readBy = handling ? conversationId : null;
  useEffect(() => {
    if (!isFollowed || conversationId === null) return undefined;
    const unfollow = presence.follow(conversationId, setTypist);
    return () => {
      unfollow();
      setTypist(null);
    };
  }, [presence, isFollowed, conversationId]);

  const report = useCallback(
    (isTyping: boolean) => {
      if (readBy !== null) presence.report(readBy, isTyping);
    },
    [presence, readBy],
  );
  const { onType } = useTyping(report);
  return { typist, onType };
}
