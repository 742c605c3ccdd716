import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { LIMITS } from '../contract/limits.ts';
import { FileRejection, type FileScan } from '../domain/files/storage-port.ts';

const TIME_LIMIT_MS = LIMITS.scanSeconds * 1_000;

/**
 * Runs a program for each file: without a shell, without the environment of the service, which contains its secrets, and
 * with the bytes on standard input. Exit code 0 accepts the file. A program that cannot start or does not end is a fault,
 * not a verdict: the file stays unreadable, and the check can be repeated.
 */
export function commandScan([program = '', ...args]: readonly string[], timeLimitMs = TIME_LIMIT_MS): FileScan {
  return (bytes) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, args, {
        env: { PATH: process.env.PATH },
        stdio: ['pipe', 'ignore', 'ignore'],
        timeout: timeLimitMs,
        killSignal: 'SIGKILL',
      });
      child.once('error', (error) => {
        bytes.resume();
        reject(error);
      });
      // A program may decide before it has read everything.
      child.stdin.on('error', () => drain(bytes));
      bytes.pipe(child.stdin);
      child.once('exit', (code) => {
        drain(bytes);
        if (code === 0) resolve();
        else if (code === null) reject(new Error('the scan of a file took too long'));
        else reject(new FileRejection('The file was rejected by the scan of this service.'));
      });
    });
}

function drain(bytes: Readable): void {
  bytes.unpipe();
  bytes.resume();
}
