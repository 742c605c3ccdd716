import { toJsxRuntime } from 'hast-util-to-jsx-runtime';
import { common, createLowlight } from 'lowlight';
import { memo } from 'react';
import { Fragment, jsx, jsxs } from 'react/jsx-runtime';

const lowlight = createLowlight(common);

/** Longer code stays plain: a reply that is being written is highlighted again with each change. */
const MAX_LENGTH = 20_000;

interface Props {
  readonly code: string;
  /** The language that the author named. */
  readonly language: string;
}

/** Code with coloured words. They are React elements with classes, because the page's policy forbids inline styles. */
export const HighlightedCode = memo(function HighlightedCode({ code, language }: Props) {
  const isKnown = code.length <= MAX_LENGTH && lowlight.registered(language);
  return isKnown ? toJsxRuntime(lowlight.highlight(language, code), { Fragment, jsx, jsxs }) : code;
});
