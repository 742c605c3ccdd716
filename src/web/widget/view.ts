import type { WidgetBranding } from '../../contract/branding/branding.ts';
import { directionOf } from '../../contract/branding/languages.ts';
import type { WidgetTexts } from './catalogue.ts';
import { stylesOf } from './styles.ts';

/** Limit: the badge shows higher numbers as `9+`. */
const MAX_BADGE = 9;

const CROSS = 'M6 6l12 12M18 6 6 18';

export interface ViewOptions {
  readonly branding: WidgetBranding;
  readonly language: string;
  readonly texts: WidgetTexts;
  /** The name of the dialog, and of the launcher unless it has a text. */
  readonly label: string;
}

/** The elements of the widget. */
export interface View {
  readonly host: HTMLElement;
  readonly launcher: HTMLButtonElement;
  readonly close: HTMLButtonElement;
  readonly panel: HTMLElement;
  setOpen(isOpen: boolean): void;
  setUnread(count: number): void;
  /** Shows a text in place of the hosted page. */
  setMessage(text: string): void;
}

export function createView({ branding, language, texts, label }: ViewOptions): View {
  const { launcherText } = branding;
  const name = launcherText ?? label;
  const badge = element('span', { class: 'badge', hidden: '' });
  const text = launcherText === null ? [] : [element('span', { class: 'text' }, launcherText)];
  const launcher = element(
    'button',
    { type: 'button', class: launcherText === null ? 'launcher' : 'launcher wide', 'aria-expanded': 'false' },
    icon('M4 5h16v11H9l-5 4z'),
    icon(CROSS),
    ...text,
    badge,
  );
  launcher.setAttribute('aria-label', name);
  const close = element('button', { type: 'button', class: 'close', 'aria-label': texts.close }, icon(CROSS));
  const panel = element('div', { class: 'panel', role: 'dialog', 'aria-label': label, hidden: '' }, close);
  // Screen readers announce changes of its text. Changes of the launcher's name are not announced.
  const status = element('div', { class: 'status', role: 'status' });
  const host = element('div', { lang: language, dir: directionOf(language) });
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [stylesOf(branding)];
  root.append(panel, launcher, status);
  return {
    ...{ host, launcher, close, panel },
    setOpen(isOpen) {
      panel.hidden = !isOpen;
      launcher.setAttribute('aria-expanded', String(isOpen));
    },
    setUnread(count) {
      badge.hidden = count === 0;
      // Drawn by the style sheet: it is no text of the launcher, whose name says the same.
      badge.dataset.count = count > MAX_BADGE ? `${MAX_BADGE}+` : String(count);
      const message = count === 0 ? '' : texts.unread(count);
      launcher.setAttribute('aria-label', message === '' ? name : `${name} (${message})`);
      status.textContent = message;
    },
    setMessage(message) {
      panel.classList.add('message');
      panel.append(element('p', {}, message));
    },
  };
}

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function icon(path: string): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}
