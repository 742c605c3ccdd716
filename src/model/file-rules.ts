import type { ModelProvider } from '../contract/model-name.ts';
import { isText } from './media-type.ts';

/** Which files a provider takes, and how. Anything else makes its adapter throw, or itself refuse the whole request. */
export interface FileRules {
  /** Media types that it downloads by itself. */
  readonly byUrl: ReadonlySet<string>;
  /** Where it downloads over https alone. */
  readonly httpsOnly: boolean;
  /** Media types that it takes as data. Texts are for all of them: they are given as text. */
  readonly asData: ReadonlySet<string>;
}

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

const OPENAI_CHAT: FileRules = {
  byUrl: new Set([...IMAGES, 'image/*']),
  httpsOnly: false,
  asData: new Set([...IMAGES, 'application/pdf', 'audio/wav', 'audio/mpeg']),
};

/** By what the adapters in `@ai-sdk/*` convert and the providers accept. */
export const FILE_RULES: Readonly<Record<ModelProvider, FileRules>> = {
  openai: OPENAI_CHAT,
  anthropic: {
    byUrl: new Set([...IMAGES, 'image/*', 'application/pdf']),
    httpsOnly: true,
    asData: new Set([...IMAGES, 'application/pdf']),
  },
  // Its adapter would take the address of a text for the text.
  'openai-compatible': OPENAI_CHAT,
};

/** Whether the provider is given the address and downloads the file by itself. */
export function takesUrl({ byUrl, httpsOnly }: FileRules, mediaType: string, { protocol }: URL): boolean {
  return byUrl.has(mediaType) && (protocol === 'https:' || !httpsOnly);
}

/** Whether the content of such a file could be given to the provider in some way; a wildcard may turn out to be one. */
export function wantsContent({ asData }: FileRules, mediaType: string): boolean {
  if (isText(mediaType) || asData.has(mediaType)) return true;
  return mediaType.endsWith('/*') && [...asData].some((known) => known.startsWith(mediaType.slice(0, -1)));
}
