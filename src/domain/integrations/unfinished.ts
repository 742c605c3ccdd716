import type { SomeServices } from '../context.ts';

/** Makes a shutdown wait for work that continues after its request. Returns the work. */
export function outlasting<T>(
  { services }: { readonly services: SomeServices<'unfinished'> },
  work: Promise<T>,
): Promise<T> {
  const { unfinished } = services.process;
  const settled: Promise<unknown> = work.then(
    () => unfinished.delete(settled),
    () => unfinished.delete(settled),
  );
  unfinished.add(settled);
  return work;
}
