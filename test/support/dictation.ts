import { Repeater } from '@repeaterjs/repeater';
import type { FakeProvider } from './fake-provider.ts';

/** A reply that a test writes piece by piece. */
export interface Dictation {
  say(piece: string): void;
  /** Ends the reply. */
  end(): void;
}

interface DictationEnd {
  readonly calls?: readonly Call[];
  /** The end is a broken connection. */
  readonly isCut?: boolean;
}

/** Sets the provider's next reply to one that the test dictates. Its end can call tools. */
export function dictate(provider: FakeProvider, end: DictationEnd = {}): Dictation {
  let say: (piece: string) => void = () => {};
  let stop = () => {};
  const waiting: string[] = [];
  let isOver = false;
  const pieces = new Repeater<string>((push, over) => {
    say = (piece) => void push(piece);
    stop = over;
    for (const piece of waiting) say(piece);
    if (isOver) stop();
  });
  provider.reply({ kind: 'dictated', pieces, ...end });
  say = (piece) => waiting.push(piece);
  return {
    say: (piece) => say(piece),
    end() {
      isOver = true;
      stop();
    },
  };
}

interface Call {
  readonly name: string;
  readonly arguments: string;
}
