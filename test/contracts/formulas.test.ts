import { createElement, type FunctionComponent } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';

/** A name, because TypeScript compiles the tests without JSX. */
const PAGE = '../../src/web/messages/rendered-markdown.tsx';
const { RenderedMarkdown } = (await import(PAGE)) as { RenderedMarkdown: FunctionComponent<{ text: string }> };

/** The formulas of a reply, before their script is loaded: those in a line, and those of their own in two brackets. */
function formulasIn(text: string): string[] {
  const html = renderToStaticMarkup(createElement(RenderedMarkdown, { text }));
  return [...html.matchAll(/<span dir="ltr" class="([^"]*)">(.*?)<\/span>/gs)].map(([, style = '', formula = '']) =>
    style.includes('block') ? `[[${formula.trim()}]]` : formula,
  );
}

describe('brackets in a reply', () => {
  it.each([
    ['\\(a_1\\) and \\[b\\]', ['a_1', 'b']],
    ['\\(x y\\), \\(max\\), \\(2\\)', ['x y', 'max', '2']],
    ['\\(a \\\\) b\\)', ['a \\\\) b']],
    ['\\[x\\]', ['[[x]]']],
    ['\\[x\\]  ', ['[[x]]']],
    ['\\[\nx\n+ b\n> c\n\\]', ['[[x\n+ b\n&gt; c]]']],
    ['\\[x\n= y\\]', ['[[x\n= y]]']],
    ['\\[x\\] follows', ['x']],
  ])('of %j hold the formulas %j', (text, formulas) => {
    expect(formulasIn(text)).toEqual(formulas);
  });

  it.each([
    'a remark of several words: \\(see there\\)',
    'a remark of a long word: \\(note!\\) \\(word\\)',
    'a remark with an end: \\(see there.\\)',
    'nothing: \\(\\) \\( \\)',
    '\\\\(an escaped backslash\\\\)',
    '`\\(x\\)`',
    '\\(no end',
    '\\[\n\nx\n\\]',
    `\\(${'x'.repeat(2_001)}\\)`,
  ])('are no formula: %j', (text) => {
    expect(formulasIn(text)).toEqual([]);
  });
});
