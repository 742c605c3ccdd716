import type { ModelProvider } from '../contract/model-name.ts';
import { isText } from './media-type.ts';
import { isOffice } from './office-text.ts';

/**
 * The files that a provider accepts, and in which form. For other files its adapter throws, or the provider rejects the
 * whole request.
 */
export interface FileRules {
  /** Media types that it downloads. */
  readonly byUrl: ReadonlySet<string>;
  /** Whether it downloads only over https. */
  readonly httpsOnly: boolean;
  /** Media types that it accepts as data. All providers accept text files, as text. */
  readonly asData: ReadonlySet<string>;
  /** Those that it accepts within the result of a tool. Others follow the results as a message of the user. */
  readonly inResults: ReadonlySet<string>;
}

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

const OPENAI_CHAT: FileRules = {
  byUrl: new Set([...IMAGES, 'image/*']),
  httpsOnly: false,
  asData: new Set([...IMAGES, 'application/pdf', 'audio/wav', 'audio/mpeg']),
  // The protocol has only texts there, and the adapters would write the file as JSON.
  inResults: new Set(),
};

/** According to the adapters in `@ai-sdk/*` and the providers' documentation. */
export const FILE_RULES: Readonly<Record<ModelProvider, FileRules>> = {
  openai: OPENAI_CHAT,
  anthropic: {
    byUrl: new Set([...IMAGES, 'image/*', 'application/pdf']),
    httpsOnly: true,
    asData: new Set([...IMAGES, 'application/pdf']),
    inResults: new Set([...IMAGES, 'application/pdf']),
  },
  // Its adapter would treat the address of a text file as the text.
  'openai-compatible': OPENAI_CHAT,
};

/** Whether the provider downloads the file from its address. */
export function takesUrl({ byUrl, httpsOnly }: FileRules, mediaType: string, { protocol }: URL): boolean {
  return byUrl.has(mediaType) && (protocol === 'https:' || !httpsOnly);
}

/** Whether the provider could accept the content of such a file. A wildcard may turn out to be an accepted type. */
export function wantsContent({ asData }: FileRules, mediaType: string): boolean {
  if (isText(mediaType) || isOffice(mediaType) || asData.has(mediaType)) return true;
  return mediaType.endsWith('/*') && [...asData].some((known) => known.startsWith(mediaType.slice(0, -1)));
}
