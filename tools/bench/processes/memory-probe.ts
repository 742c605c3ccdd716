// Loaded into a server before its start (`node --expose-gc --import`). On a message it collects all garbage, releases
// the free pages and returns the memory usage.

process.on('message', () => {
  globalThis.gc?.();
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  process.send?.(process.memoryUsage());
});
