import type { ChildProcess } from 'node:child_process';

/** What a helper answers where it could not do what it was asked for. */
interface Fault {
  readonly fault: string;
}

/** Asks a helper for one thing, and waits for its answer. @throws where it could not, or ended instead */
export function ask<Order extends object, Answer>(child: ChildProcess, order: Order): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`a helper ended with ${code}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      const answer = message as Answer | Fault;
      if (typeof answer === 'object' && answer !== null && 'fault' in answer) reject(new Error(answer.fault));
      else resolve(answer as Answer);
    });
    child.send(order);
  });
}

/** In a helper: does what it is asked for, one order after the other. */
export function answerOrders<Order>(run: (order: Order) => Promise<object>): void {
  process.on('message', async (order: Order) => {
    try {
      process.send?.(await run(order));
    } catch (error) {
      process.send?.({ fault: String(error) } satisfies Fault);
    }
  });
}
