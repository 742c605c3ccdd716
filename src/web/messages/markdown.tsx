import { lazy, memo, Suspense } from 'react';

/** In a file of its own, for it is the largest part of a page and is needed with the first reply. */
const Rendered = lazy(() =>
  import('./rendered-markdown.tsx').then(({ RenderedMarkdown }) => ({ default: RenderedMarkdown })),
);

/** A reply of the assistant: Markdown, made into elements and never into HTML text. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
      <Rendered text={text} />
    </Suspense>
  );
});
