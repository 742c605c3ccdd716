import type { ModelRequest } from '../domain/agent/model-port.ts';

/** What the protocols have, but not all servers that speak them. */
export type OptionalFeature = 'promptCache' | 'toolChoice';

type Sent = Pick<ModelRequest, 'cachesPrompt' | 'tools' | 'toolChoice'>;

const IS_USED: Readonly<Record<OptionalFeature, (request: Sent) => boolean>> = {
  promptCache: ({ cachesPrompt }) => cachesPrompt === true,
  toolChoice: ({ tools, toolChoice }) => toolChoice === 'none' && tools.length > 0,
};

const WITHOUT: Readonly<Record<OptionalFeature, Partial<Sent>>> = {
  promptCache: { cachesPrompt: false },
  toolChoice: { tools: [], toolChoice: 'auto' },
};

/**
 * Which optional features the server of a model takes. The process learns it from replies, so a server that refuses a
 * feature costs one more request, and not one more for each step.
 */
export class OptionalFeatures {
  readonly #ofProtocol: readonly OptionalFeature[];
  readonly #isTaken = new Map<OptionalFeature, boolean>();

  constructor(ofProtocol: readonly OptionalFeature[]) {
    this.#ofProtocol = ofProtocol;
  }

  /** The request without the features that the server refuses. */
  known<Request extends Sent>(request: Request): Request {
    return without(
      request,
      this.usedBy(request).filter((feature) => this.#isTaken.get(feature) === false),
    );
  }

  usedBy(request: Sent): OptionalFeature[] {
    return this.#ofProtocol.filter((feature) => IS_USED[feature](request));
  }

  /** The features of the request that no reply has confirmed. If the server refuses the request, they can be the reason. */
  doubtedIn(request: Sent): OptionalFeature[] {
    return this.usedBy(request).filter((feature) => !this.#isTaken.has(feature));
  }

  learn(features: readonly OptionalFeature[], isTaken: boolean): void {
    for (const feature of features) this.#isTaken.set(feature, isTaken);
  }
}

/** The same request without these features. */
export function without<Request extends Sent>(request: Request, features: readonly OptionalFeature[]): Request {
  return Object.assign({ ...request }, ...features.map((feature) => WITHOUT[feature]));
}
