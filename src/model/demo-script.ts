import { COMMAND_LIST, type DemoAction, ProblemError, readAction } from './demo-commands.ts';

/** One step of a script: how long to wait first, and what to do then. Nothing to do: end as a script ends. */
export interface ScriptStep {
  readonly waitMs: number;
  readonly actions: readonly DemoAction[];
}

export type Script = { readonly steps: readonly ScriptStep[] } | { readonly problem: string };

const LONGEST_WAIT_SECONDS = 3600;

/** Reads a script, one step a line. The whole of it is read first: a wrong last line shows before anything is done. */
export function readScript(text: string): Script {
  const steps: ScriptStep[] = [];
  let waitMs = 0;
  try {
    for (const line of linesOf(text)) {
      const wait = waitOf(line);
      if (wait !== undefined) {
        waitMs += wait;
      } else {
        steps.push({ waitMs, actions: actionsOf(line) });
        waitMs = 0;
      }
    }
  } catch (error) {
    if (error instanceof ProblemError) return { problem: `${error.message}\n${COMMAND_LIST}` };
    throw error;
  }
  return { steps: waitMs > 0 ? [...steps, { waitMs, actions: [] }] : steps };
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function waitOf(line: string): number | undefined {
  const [command, seconds, ...rest] = line.split(/\s+/);
  if (command !== '/slow') return undefined;
  const wait = /^\d+(\.\d+)?$/.test(seconds ?? '') ? Number(seconds) : Number.NaN;
  if (rest.length > 0 || !(wait <= LONGEST_WAIT_SECONDS)) {
    throw new ProblemError(`/slow takes a number of seconds up to ${LONGEST_WAIT_SECONDS}, alone on its line.`);
  }
  return wait * 1000;
}

function actionsOf(line: string): DemoAction[] {
  // Only before the next command, so that a text or an argument may hold `&&`.
  return line.split(/ && (?=\/)/).map((command) => readAction(command.trim()));
}
