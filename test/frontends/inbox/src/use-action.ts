import { useState } from 'react';
import { messageOf } from './failure.ts';

/** Something that the user starts with a button: whether it runs, and what went wrong the last time. */
export function useAction() {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState('');
  const run = async (action: () => Promise<void>): Promise<void> => {
    setRunning(true);
    setProblem('');
    try {
      await action();
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setRunning(false);
    }
  };
  return { run, isRunning, problem };
}
