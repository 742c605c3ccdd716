import type { Protocol } from './replies.ts';

/** An order to the process of the model steps. */
export interface StepOrder {
  readonly url: string;
  readonly protocol: Protocol;
  readonly tokens: number;
  /** A step with or without a listener, or only the reading of the bytes. */
  readonly client: 'watched step' | 'step' | 'undici';
  readonly count: number;
}
