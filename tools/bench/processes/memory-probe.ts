// Loaded into a server before it starts (`node --expose-gc --import`): says what it holds once all garbage is gone, and the
// pages that it was in are given back, to whoever asks over its channel.

process.on('message', () => {
  globalThis.gc?.();
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  process.send?.(process.memoryUsage());
});
