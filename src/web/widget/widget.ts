/*
 * Shows a deployment's hosted page on any site:
 * <script src="https://HOST/widget.js" data-deployment="UUID"></script>
 * A classic script in one function, so that it declares no global names on the site.
 */
(() => {
  const LOADED = Symbol.for('parley.widget');
  const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

  // currentScript is set only while the script runs for the first time.
  const script = document.currentScript;
  if (!(script instanceof HTMLScriptElement) || LOADED in window) return;
  const { deployment = '', kind, trigger, label = 'Chat with us', open } = script.dataset;
  if (!UUID.test(deployment)) {
    console.error('Parley: the widget script needs the attribute data-deployment with the ID of a deployment.');
    return;
  }
  Object.defineProperty(window, LOADED, { value: true });

  const address = new URL(`/${kind === 'agent' ? 'agent' : 'chat'}/${deployment}`, script.src);
  if (trigger) address.searchParams.set('tid', trigger);

  function element<Name extends keyof HTMLElementTagNameMap>(
    name: Name,
    attributes: Readonly<Record<string, string>>,
    ...children: readonly Node[]
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

  const CROSS = 'M6 6l12 12M18 6 6 18';
  // In a shadow root, so that the site's styles do not apply. As a constructed sheet, which a strict policy allows.
  const STYLES = `
    :host { all: initial; --accent: #3b4ce0; --on-accent: #fff; --surface: #fff; --ink: #17181c; --line: #dfdfe6 }
    button { all: unset; box-sizing: border-box; cursor: pointer; display: grid; place-items: center }
    button:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px }
    svg { width: 26px; height: 26px; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round }
    .launcher { position: fixed; z-index: 2147483647; right: 20px; bottom: 20px; width: 56px; height: 56px; border-radius: 50%; background: var(--accent); color: var(--on-accent); box-shadow: 0 4px 16px #0005 }
    .launcher svg + svg, .launcher[aria-expanded=true] svg:first-child { display: none }
    .launcher[aria-expanded=true] svg + svg { display: block }
    .panel { position: fixed; z-index: 2147483647; right: 20px; bottom: 88px; width: min(380px, calc(100vw - 40px)); height: min(600px, calc(100dvh - 108px)); display: flex; flex-direction: column; overflow: hidden; border: 1px solid var(--line); border-radius: 16px; background: var(--surface); color: var(--ink); box-shadow: 0 8px 40px #0004 }
    .panel[hidden], .close { display: none }
    iframe { flex: 1; width: 100%; min-height: 0; border: 0; color-scheme: light dark }
    @media (max-width: 480px) {
      .panel { inset: 0; width: auto; height: auto; border: 0; border-radius: 0 }
      .close { display: grid; align-self: flex-end; width: 48px; height: 48px; outline-offset: -6px }
      .launcher[aria-expanded=true] { display: none }
    }
    @media (prefers-color-scheme: dark) {
      :host { --accent: #9aa6ff; --on-accent: #10122b; --surface: #17181d; --ink: #ececf1; --line: #2d2f39 }
    }`;

  const launcher = element(
    'button',
    { type: 'button', class: 'launcher', 'aria-expanded': 'false', 'aria-label': label },
    icon('M4 5h16v11H9l-5 4z'),
    icon(CROSS),
  );
  const close = element('button', { type: 'button', class: 'close', 'aria-label': 'Close' }, icon(CROSS));
  const panel = element('div', { class: 'panel', role: 'dialog', 'aria-label': label, hidden: '' }, close);
  const host = element('div', {});
  let frame: HTMLIFrameElement | undefined;

  function show(focus: boolean): void {
    // Created when it is first opened. Closing only hides it, so that the conversation continues.
    if (!frame) {
      frame = element('iframe', { title: label, src: address.href, allow: 'clipboard-write' });
      panel.append(frame);
    }
    panel.hidden = false;
    launcher.setAttribute('aria-expanded', 'true');
    if (focus) frame.focus();
  }

  function hide(): void {
    if (panel.hidden) return;
    panel.hidden = true;
    launcher.setAttribute('aria-expanded', 'false');
    launcher.focus();
  }

  launcher.addEventListener('click', () => (panel.hidden ? show(true) : hide()));
  close.addEventListener('click', hide);
  host.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') hide();
  });
  addEventListener('message', ({ data, source, origin }) => {
    if (data === 'parley:leave' && origin === address.origin && source === frame?.contentWindow) hide();
  });

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLES);
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [sheet];
  root.append(panel, launcher);
  const attach = () => {
    document.body.append(host);
    if (open !== undefined && open !== 'false') show(false);
  };
  if (document.body) attach();
  else addEventListener('DOMContentLoaded', attach, { once: true });
})();
