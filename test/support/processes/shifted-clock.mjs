import { readFileSync } from 'node:fs';

// Loaded into a process before its own code. Its wall clock differs from the real one by the milliseconds in a file, which
// it reads again after SIGUSR2. Like a clock that an operator sets, this leaves timers and the monotonic clock alone.

const read = () => Number(readFileSync(process.env.CLOCK_OFFSET_FILE, 'utf8'));

const RealDate = globalThis.Date;
let offsetMs = read();
const now = () => RealDate.now() + offsetMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

process.on('SIGUSR2', () => {
  offsetMs = read();
});
