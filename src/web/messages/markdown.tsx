import { lazy, memo, Suspense } from 'react';

/** Loaded with the first reply: it is the largest part of a page. */
const Rendered = lazy(() =>
  import('./rendered-markdown.tsx').then(({ RenderedMarkdown }) => ({ default: RenderedMarkdown })),
);

/** A reply as Markdown. It becomes React elements, never HTML text. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
      <Rendered text={text} />
    </Suspense>
  );
});
