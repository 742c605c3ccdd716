import { DEFAULT_CONTEXT_SHARE, knownContextTokens } from '../../../contract/model-windows.ts';
import type { WorkflowConfig } from '../../workflows/config.ts';

/** Tokens of a step after which the conversation is summarized. */
export function contextTokensOf({ contextTokens }: WorkflowConfig, model: string): number {
  return contextTokens ?? Math.floor(knownContextTokens(model) * DEFAULT_CONTEXT_SHARE);
}

/**
 * Tokens of a text, estimated before a provider counts them. Models write a token for about four bytes of English, and
 * for about three of Chinese, so this is too high rather than too low.
 */
export function estimatedTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Bytes of UTF-8. */
export const BYTES_PER_TOKEN = 3;

/** What a file takes: about as much as an image. The texts of files are bounded. */
export const FILE_TOKENS = 1_500;
