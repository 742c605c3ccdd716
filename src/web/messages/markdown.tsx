import { memo } from 'react';
import { enhancement } from '../ui/load.ts';

/** Loaded with the first reply: it is the largest part of a page. */
const rendered = enhancement(() => import('./rendered-markdown.tsx'), 'now');

/** A reply as Markdown, or as plain text while the script is not loaded. It becomes React elements, never HTML text. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  const module = rendered.useModule();
  return module ? (
    <module.RenderedMarkdown text={text} />
  ) : (
    <p dir="auto" className="whitespace-pre-wrap">
      {text}
    </p>
  );
});
