export interface Hit {
  readonly line: number;
  readonly found: string;
  readonly say: string;
}

export function wordsIn(text: string): Hit[];
export function wordsInPath(path: string): Hit[];
