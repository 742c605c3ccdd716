import { createContext, useContext } from 'react';
import type { DraftEditing } from './editing.ts';

export const Editing = createContext<DraftEditing | null>(null);

/** The draft that is being edited, for any field of it. */
export function useEditing(): DraftEditing {
  const editing = useContext(Editing);
  if (!editing) throw new Error('There is no draft here.');
  return editing;
}
