import { join } from 'node:path';
import { runCommandLine } from './cli/command-line.ts';

const { argv, env, stdin, stdout, stderr } = process;
process.exitCode = await runCommandLine(argv.slice(2), { env, stdin, stdout, stderr }, join(import.meta.dirname, '..'));
