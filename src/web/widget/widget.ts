import type { BrandingLanguage, WidgetBranding, WidgetSettings } from '../../contract/branding/branding.ts';
import { languageOf } from '../../contract/branding/languages.ts';
import { textsOf } from './catalogue.ts';
import { createFrame } from './conversation-frame.ts';
import { createIdentity, type Identity } from './identity.ts';
import { createMemory, NOTHING, UUID } from './memory.ts';
import { brandingOf, loadSettings } from './settings.ts';
import { createView } from './view.ts';

/*
 * Shows a deployment's hosted page on any site:
 * <script src="https://HOST/widget.js" data-deployment="UUID"></script>
 * The build makes a classic script of one function, so that it declares only the global name `Parley` on the site.
 */
const LOADED = Symbol.for('parley.widget');

/** Below this width the open widget covers the page, so a new page does not open it. In pixels. */
const COVERED_WIDTH = 480;

// currentScript is set only while the script runs for the first time.
const script = document.currentScript;
if (script instanceof HTMLScriptElement && !(LOADED in window)) {
  if (UUID.test(script.dataset.deployment ?? '')) {
    let onIdentity = (_hadUser: boolean): void => {};
    const identity = createIdentity((hadUser) => onIdentity(hadUser));
    Object.defineProperty(window, LOADED, { value: true });
    Object.assign(window, { Parley: { identify: identity.identify } });
    void start(script.src, { ...script.dataset, deployment: script.dataset.deployment ?? '' }, identity).then(
      (restart) => {
        onIdentity = restart;
      },
    );
  } else {
    console.error('Parley: the widget script needs the attribute data-deployment with the ID of a deployment.');
  }
}

/** The attributes of the script element. They take precedence over the deployment's branding. */
interface Attributes extends Readonly<Record<string, string | undefined>> {
  readonly deployment: string;
  readonly kind?: string;
  readonly trigger?: string;
  readonly label?: string;
  readonly text?: string;
  readonly position?: string;
  readonly language?: string;
  readonly open?: string;
}

/** Returns a function that starts again with another user. */
async function start(source: string, attributes: Attributes, identity: Identity): Promise<(hadUser: boolean) => void> {
  const { deployment, trigger } = attributes;
  const settings = await loadSettings(deployment, source);
  if (!document.body) await new Promise((resolve) => addEventListener('DOMContentLoaded', resolve, { once: true }));

  const branding = brandingWith(settings, attributes);
  const language = languageOf(branding.language, navigator.languages);
  const texts = textsOf(language);
  const label = attributes.label ?? branding.launcherText ?? texts.label;
  const view = createView({ branding, language, texts, label });
  const { host, panel, launcher } = view;
  const visitor = createMemory(deployment, trigger, 'visitor');
  const user = createMemory(deployment, trigger, 'user');
  const address = pageAddress(source, attributes, settings);
  const frame =
    settings.state === 'open'
      ? createFrame({
          ...{ panel, address },
          memory: () => (identity.get() ? user : visitor),
          source: identity.get,
          title: label,
          isOpen: () => !panel.hidden,
          onUnread: view.setUnread,
          onLeave: hide,
        })
      : undefined;

  function show(focus: boolean): void {
    const page = frame?.load();
    view.setOpen(true);
    visitor.setOpen(true);
    frame?.markSeen();
    // Only a narrow window shows the close button, in place of the launcher.
    if (focus) (page ?? view.close).focus();
  }

  function hide(): void {
    if (panel.hidden) return;
    view.setOpen(false);
    visitor.setOpen(false);
    launcher.focus();
  }

  launcher.addEventListener('click', () => (panel.hidden ? show(true) : hide()));
  view.close.addEventListener('click', hide);
  host.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') hide();
  });
  if (settings.state === 'unavailable') view.setMessage(texts.unavailable);
  if (settings.state === 'site_not_allowed') view.setMessage(texts.siteNotAllowed);
  document.body.append(host);
  const { open = 'false' } = attributes;
  if (open !== 'false' || (visitor.wasOpen() && innerWidth > COVERED_WIDTH)) show(false);
  // Hidden, the page still reports messages. It loads after the site, so that it does not delay the site.
  else if (frame?.hasConversation()) whenLoaded(() => frame.load());

  return (hadUser) => {
    // The new user must not find the conversation of the old one.
    if (hadUser) user.set(NOTHING);
    frame?.reset();
    if (panel.hidden) {
      if (frame?.hasConversation()) frame.load();
      return;
    }
    frame?.load();
    frame?.markSeen();
  };
}

function brandingWith(settings: WidgetSettings, { text, position, language }: Attributes): WidgetBranding {
  const branding = brandingOf(settings);
  return {
    ...branding,
    ...(text !== undefined && { launcherText: text.trim() || null }),
    ...((position === 'left' || position === 'right') && { launcherPosition: position }),
    ...(language !== undefined && { language: known(language) }),
  };
}

const known = (language: string): BrandingLanguage => (language === 'auto' ? 'auto' : languageOf('auto', [language]));

function pageAddress(
  source: string,
  { deployment, kind, trigger, language }: Attributes,
  settings: WidgetSettings,
): URL {
  const own = settings.state === 'open' ? settings.kind : 'chat';
  const address = new URL(`/${kind === 'agent' || kind === 'chat' ? kind : own}/${deployment}`, source);
  if (trigger) address.searchParams.set('tid', trigger);
  if (language) address.searchParams.set('lang', known(language));
  return address;
}

function whenLoaded(action: () => void): void {
  if (document.readyState === 'complete') action();
  else addEventListener('load', action, { once: true });
}
