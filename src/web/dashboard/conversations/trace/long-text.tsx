import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { formatCount } from '../../../ui/numbers.ts';

/** A longer text shows its beginning, until a button shows all of it. */
const MOST_CHARACTERS = 2_000;

/** A text with its line breaks. */
export function LongText({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = text.length > MOST_CHARACTERS && !isWhole;
  return (
    <>
      <p dir="auto" className="whitespace-pre-wrap wrap-anywhere">
        {isCut ? `${text.slice(0, MOST_CHARACTERS)}…` : text}
      </p>
      {isCut && (
        <span>
          <Button small onClick={() => setWhole(true)}>{`Show all ${formatCount(text.length)} characters`}</Button>
        </span>
      )}
    </>
  );
}
