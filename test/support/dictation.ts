import { Repeater } from '@repeaterjs/repeater';
import type { FakeCompletion, FakeProvider } from './fake-provider.ts';

/** A reply that a test writes piece by piece. */
export interface Dictation {
  say(piece: string): void;
  think(piece: string): void;
  /** Ends the reply. */
  end(): void;
}

type Piece = Pick<FakeCompletion, 'deltas' | 'thoughts'>;

interface DictationEnd {
  readonly calls?: readonly Call[];
  /** The end is a broken connection. */
  readonly isCut?: boolean;
}

/** Sets the provider's next reply to one that the test dictates. Its end can call tools. */
export function dictate(provider: FakeProvider, end: DictationEnd = {}): Dictation {
  let send: (piece: Piece) => void = () => {};
  let stop = () => {};
  const waiting: Piece[] = [];
  let isOver = false;
  const pieces = new Repeater<Piece>((push, over) => {
    send = (piece) => void push(piece);
    stop = over;
    for (const piece of waiting) send(piece);
    if (isOver) stop();
  });
  provider.reply({ kind: 'dictated', pieces, ...end });
  send = (piece) => waiting.push(piece);
  return {
    say: (piece) => send({ deltas: [piece] }),
    think: (piece) => send({ thoughts: [piece] }),
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
