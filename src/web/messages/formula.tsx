import katex from 'katex';
import { memo, useLayoutEffect, useRef } from 'react';

interface Props {
  readonly source: string;
  readonly isBlock: boolean;
}

/** Formulas of a message are not trusted: no links, no pictures, no large elements, and an end of each expansion. */
const SETTINGS = {
  output: 'mathml',
  trust: false,
  strict: 'ignore',
  errorColor: 'currentcolor',
  maxSize: 20,
  maxExpand: 300,
} as const;

/**
 * A formula as MathML, which browsers draw and screen readers read. It needs neither fonts nor styles. Its source appears if
 * it is not valid, for example while it is being written.
 */
export const Formula = memo(function Formula({ source, isBlock }: Props) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    try {
      // Creates elements, never HTML text.
      katex.render(source, element, { ...SETTINGS, displayMode: isBlock });
    } catch {
      element.textContent = source;
    }
  }, [source, isBlock]);
  return <span ref={place} />;
});
