import { Children, type ComponentProps, isValidElement, lazy, type ReactNode, Suspense } from 'react';
import ReactMarkdown, { type Options } from 'react-markdown';
import remarkCjkFriendly from 'remark-cjk-friendly';
import remarkCjkFriendlyStrikethrough from 'remark-cjk-friendly-gfm-strikethrough';
import remarkGfm from 'remark-gfm';
import { texts } from '../texts/current.ts';
import { Code } from '../ui/code.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icon.tsx';
import { enhancement } from '../ui/load.ts';
import { remarkFormulas } from './formula-syntax.ts';
import { OutsideLink } from './outside-link.tsx';
import { remarkWrittenAddresses } from './written-addresses.ts';

const COMPONENTS = {
  a: OutsideLink,
  // A link, because loading the picture would send the reader's IP address to its host.
  img: ({ src, alt }: ComponentProps<'img'>) => (
    <OutsideLink href={typeof src === 'string' ? src : undefined}>{alt || texts().message.picture}</OutsideLink>
  ),
  pre: CodeBlock,
  code: ({ children, className }: ComponentProps<'code'>) => {
    if (className?.includes('math-inline')) return <MathText source={textOf(children)} />;
    // Its own direction keeps it in one piece between words from right to left.
    return (
      <code dir="ltr" className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.9em]">
        {children}
      </code>
    );
  },
  p: ({ children, dir }: ComponentProps<'p'>) => (
    <p dir={dir} className="my-2 first:mt-0 last:mb-0">
      {children}
    </p>
  ),
  ul: ({ children, dir }: ComponentProps<'ul'>) => (
    <ul dir={dir} className="my-2 list-disc space-y-1 ps-6">
      {children}
    </ul>
  ),
  ol: ({ children, dir, start }: ComponentProps<'ol'>) => (
    <ol dir={dir} start={start} className="my-2 list-decimal space-y-1 ps-6">
      {children}
    </ol>
  ),
  blockquote: ({ children, dir }: ComponentProps<'blockquote'>) => (
    <blockquote dir={dir} className="my-2 border-s-3 border-line ps-3 text-muted">
      {children}
    </blockquote>
  ),
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  hr: () => <hr className="my-4 border-line" />,
  table: ({ children, dir }: ComponentProps<'table'>) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <section aria-label={texts().message.table} tabIndex={0} className="my-2 overflow-x-auto">
      <table dir={dir} className="border-collapse text-sm">
        {children}
      </table>
    </section>
  ),
  th: ({ children, style }: ComponentProps<'th'>) => (
    <th className={`border border-line px-2 py-1 ${alignmentOf(style)}`}>{children}</th>
  ),
  td: ({ children, style }: ComponentProps<'td'>) => (
    <td className={`border border-line px-2 py-1 ${alignmentOf(style)}`}>{children}</td>
  ),
  // Only task lists have it. Their boxes are read, not changed.
  input: ({ checked }: ComponentProps<'input'>) => <TaskBox isDone={checked === true} />,
  li: ({ children, className }: ComponentProps<'li'>) => (
    <li className={className?.includes('task-list-item') ? '-ms-6 list-none' : ''}>{children}</li>
  ),
} as const;

/** The alignment of a column. The default is the start of the line. */
function alignmentOf(style: ComponentProps<'td'>['style']): string {
  if (style?.textAlign === 'center') return 'text-center';
  return style?.textAlign === 'right' ? 'text-end tabular-nums' : 'text-start';
}

function TaskBox({ isDone }: { readonly isDone: boolean }) {
  const t = texts().message;
  return (
    <span
      role="img"
      aria-label={isDone ? t.taskDone : t.taskOpen}
      className={`me-2 inline-flex size-4 items-center justify-center rounded border align-[-0.15em] ${isDone ? 'border-accent bg-accent text-on-accent' : 'border-edge'}`}
    >
      {isDone && <Icon name="check" className="size-3" />}
    </span>
  );
}

/** Single tildes are ranges: `3~5天，100~200元`. */
const STRIKETHROUGH = { singleTilde: false };

const PLUGINS: Pick<Options, 'remarkPlugins' | 'rehypePlugins'> = {
  remarkPlugins: [
    [remarkGfm, STRIKETHROUGH],
    // Emphasis next to punctuation of Chinese, Japanese and Korean: `**注意：**正文`.
    remarkCjkFriendly,
    [remarkCjkFriendlyStrikethrough, STRIKETHROUGH],
    remarkFormulas,
    remarkWrittenAddresses,
  ],
  rehypePlugins: [() => directBlocks],
};

interface Block {
  readonly type: string;
  properties?: Record<string, unknown>;
}

/** Each block of a message has the direction of its first word. Blocks inside it have the same. */
function directBlocks({ children }: { readonly children: readonly Block[] }): void {
  for (const block of children) if (block.type === 'element') block.properties = { ...block.properties, dir: 'auto' };
}

export function RenderedMarkdown({ text }: { readonly text: string }) {
  return (
    <div className="min-w-0">
      <ReactMarkdown {...PLUGINS} components={COMPONENTS}>
        {text}
      </ReactMarkdown>
    </div>
  );
}

/** Looks like a heading but is not one, because a message must not change the page's outline. */
function Heading({ children, dir }: ComponentProps<'h1'>) {
  return (
    <p dir={dir} className="mt-4 mb-2 text-lg font-semibold first:mt-0">
      {children}
    </p>
  );
}

/** Loaded with the first formula. */
const formulas = enhancement(() => import('./formula.tsx'), 'now');

function MathText({ source, isBlock = false }: { readonly source: string; readonly isBlock?: boolean }) {
  const module = formulas.useModule();
  return (
    <span dir="ltr" className={isBlock ? 'my-2 block overflow-x-auto' : ''}>
      {module ? <module.Formula {...{ source, isBlock }} /> : source}
    </span>
  );
}

/** Loaded with the first code that names its language. */
const Highlighted = lazy(() =>
  import('./highlighted-code.tsx').then((module) => ({ default: module.HighlightedCode })),
);

function CodeBlock({ children }: { readonly children?: ReactNode }) {
  const code = textOf(children);
  if (classOf(children).includes('math-display')) return <MathText source={code} isBlock />;
  const t = texts().message;
  const language = languageOf(children);
  return (
    <div dir="ltr" className="my-2 overflow-hidden rounded-lg border border-line bg-sunken">
      <div className="flex items-center justify-between gap-2 border-b border-line ps-3">
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
  return /(?:^|\s)language-(\S+)/.exec(classOf(children))?.[1];
}

function classOf(children: ReactNode): string {
  const [child] = Children.toArray(children);
  return (isValidElement<{ className?: string }>(child) && child.props.className) || '';
}

function textOf(node: ReactNode): string {
  return Children.toArray(node)
    .map((child) => {
      if (typeof child === 'string') return child;
      return isValidElement<{ children?: ReactNode }>(child) ? textOf(child.props.children) : '';
    })
    .join('');
}
