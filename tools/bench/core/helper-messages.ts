import type { ChildProcess } from 'node:child_process';

/** The reply of a helper that failed. */
interface HelperFailure {
  readonly fault: string;
}

/** Sends an order to a helper and waits for its result. @throws if the helper fails or exits */
export function send<Order extends object, Result>(child: ChildProcess, order: Order): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`A helper exited with ${code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      const response = message as Result | HelperFailure;
      if (typeof response === 'object' && response !== null && 'fault' in response) reject(new Error(response.fault));
      else resolve(response as Result);
    });
    child.send(order);
  });
}

/** Runs in a helper: processes orders one after another. */
export function serveOrders<Order>(run: (order: Order) => Promise<object>): void {
  process.on('message', async (order: Order) => {
    try {
      process.send?.(await run(order));
    } catch (error) {
      process.send?.({ fault: String(error) } satisfies HelperFailure);
    }
  });
}
