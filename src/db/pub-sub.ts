import { EventEmitter } from 'node:events';

/**
 * Publish/subscribe between the code that changes rows and the code that waits for changes, across processes.
 * A notification carries only a topic: subscribers read the rows. Notifications can be lost, so subscribers also poll.
 */
export interface PubSub {
  /** Notifies the subscribers of `topic`. Call it after the commit. Never blocks, never throws. */
  publish(topic: string): void;
  /** Calls `notify` for each publication. Returns a function that ends the subscription. */
  subscribe(topic: string, notify: () => void): () => void;
  close(): Promise<void>;
}

/** Receives connection errors. The connection recovers automatically. */
export type OnError = (error: unknown) => void;

/** Publish/subscribe within one process. */
export function localPubSub(): PubSub {
  const topics = new EventEmitter().setMaxListeners(0);
  return {
    publish: (topic) => void topics.emit(topic),
    subscribe(topic, notify) {
      topics.on(topic, notify);
      return () => topics.off(topic, notify);
    },
    close: async () => void topics.removeAllListeners(),
  };
}
