/**
 * Runs `work` in one tab of this browser at a time: in the one that its user has used last. A browser has about six connections
 * to a host, and a subscription takes one of them for as long as its page is open. The signal of `work` is aborted when the user
 * goes to another tab; then `work` waits for its turn again. Resolves when `end` is aborted, or `work` ends alone.
 */
export async function inOneTab(
  name: string,
  end: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  // Browsers have locks only for https and for this machine.
  if (!('locks' in navigator)) return work(end);
  let turn = new AbortController();
  let isMine = false;
  let isDone = false;
  let isUsed = isVisible();
  const stop = () => turn.abort();
  const take = () => {
    if (isMine || !isVisible()) return;
    isUsed = true;
    stop();
  };
  end.addEventListener('abort', stop);
  addEventListener('focus', take);
  document.addEventListener('visibilitychange', take);
  while (!end.aborted && !isDone) {
    turn = new AbortController();
    const { signal } = turn;
    // A lock that is stolen rejects the request of the tab that had it.
    const options = isUsed ? { steal: true } : { signal };
    isUsed = false;
    await navigator.locks
      .request(name, options, async () => {
        isMine = true;
        await work(signal).finally(() => {
          isDone = !signal.aborted;
        });
      })
      .catch(() => {
        // It was neither stolen nor given up: a page that is closing gets no locks.
        isDone ||= !isMine && !signal.aborted;
      });
    isMine = false;
    stop();
  }
  removeEventListener('focus', take);
  document.removeEventListener('visibilitychange', take);
}

const isVisible = () => document.visibilityState === 'visible';
