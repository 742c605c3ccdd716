import { Children, type ComponentProps, isValidElement, lazy, type ReactNode, Suspense } from 'react';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { texts } from '../texts/current.ts';
import { Code } from '../ui/code.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { OutsideLink } from './outside-link.tsx';

const COMPONENTS = {
  a: OutsideLink,
  // A link, because loading the picture would send the reader's IP address to its host.
  img: ({ src, alt }: ComponentProps<'img'>) => (
    <OutsideLink href={typeof src === 'string' ? src : undefined}>{alt || texts().message.picture}</OutsideLink>
  ),
  pre: CodeBlock,
  code: ({ children }: ComponentProps<'code'>) => (
    <code className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.9em]">{children}</code>
  ),
  p: ({ children }: ComponentProps<'p'>) => <p className="my-2 first:mt-0 last:mb-0">{children}</p>,
  ul: ({ children }: ComponentProps<'ul'>) => <ul className="my-2 list-disc space-y-1 pl-6">{children}</ul>,
  ol: ({ children, start }: ComponentProps<'ol'>) => (
    <ol start={start} className="my-2 list-decimal space-y-1 pl-6">
      {children}
    </ol>
  ),
  blockquote: ({ children }: ComponentProps<'blockquote'>) => (
    <blockquote className="my-2 border-l-3 border-line pl-3 text-muted">{children}</blockquote>
  ),
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  hr: () => <hr className="my-4 border-line" />,
  table: ({ children }: ComponentProps<'table'>) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <section aria-label={texts().message.table} tabIndex={0} className="my-2 overflow-x-auto">
      <table className="border-collapse text-sm">{children}</table>
    </section>
  ),
  th: ({ children }: ComponentProps<'th'>) => <th className="border border-line px-2 py-1 text-left">{children}</th>,
  td: ({ children }: ComponentProps<'td'>) => <td className="border border-line px-2 py-1">{children}</td>,
} as const;

export function RenderedMarkdown({ text }: { readonly text: string }) {
  return (
    <div className="min-w-0">
      <ReactMarkdown remarkPlugins={[remarkGfm]} components={COMPONENTS}>
        {text}
      </ReactMarkdown>
    </div>
  );
}

/** Looks like a heading but is not one, because a message must not change the page's outline. */
function Heading({ children }: { readonly children?: ReactNode }) {
  return <p className="mt-4 mb-2 text-lg font-semibold first:mt-0">{children}</p>;
}

/** Loaded with the first code that names its language. */
const Highlighted = lazy(() =>
  import('./highlighted-code.tsx').then((module) => ({ default: module.HighlightedCode })),
);

function CodeBlock({ children }: { readonly children?: ReactNode }) {
  const t = texts().message;
  const code = textOf(children);
  const language = languageOf(children);
  return (
    <div className="my-2 overflow-hidden rounded-lg border border-line bg-sunken">
      <div className="flex items-center justify-between gap-2 border-b border-line pl-3">
        <span className="min-w-0 truncate text-sm text-muted">{language ?? t.code}</span>
        <CopyButton text={code.replace(/\n$/, '')} label={t.copyCode} />
      </div>
      <Code>
        <code>
          {language ? (
            <Suspense fallback={code}>
              <Highlighted {...{ code, language }} />
            </Suspense>
          ) : (
            code
          )}
        </code>
      </Code>
    </div>
  );
}

/** The language after the fence of a code block. */
function languageOf(children: ReactNode): string | undefined {
  const [child] = Children.toArray(children);
  if (!isValidElement<{ className?: string }>(child)) return undefined;
  return /(?:^|\s)language-(\S+)/.exec(child.props.className ?? '')?.[1];
}

function textOf(node: ReactNode): string {
  return Children.toArray(node)
    .map((child) => {
      if (typeof child === 'string') return child;
      return isValidElement<{ children?: ReactNode }>(child) ? textOf(child.props.children) : '';
    })
    .join('');
}
