import { COMMAND_LIST, type DemoAction, readAction, ScriptError } from './demo-commands.ts';

/** One step of a script: a delay, then actions. Without actions the script ends. */
export interface ScriptStep {
  readonly waitMs: number;
  readonly actions: readonly DemoAction[];
}

export type Script = { readonly steps: readonly ScriptStep[] } | { readonly problem: string };

const LONGEST_WAIT_SECONDS = 3600;

/**
 * Parses a script, one step per line. It parses all lines first, so an error in the last line is reported before any
 * step runs.
 */
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
    if (error instanceof ScriptError) return { problem: `${error.message}\n${COMMAND_LIST}` };
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
    throw new ScriptError(`/slow takes a number of seconds up to ${LONGEST_WAIT_SECONDS}, alone on its line.`);
  }
  return wait * 1000;
}

function actionsOf(line: string): DemoAction[] {
  // Splits only before a command, so that texts and arguments can contain `&&`.
  return line.split(/ && (?=\/)/).map((command) => readAction(command.trim()));
}
