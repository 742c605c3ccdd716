import { LIMITS } from '../src/contract/limits.ts';
import { formatBytes, formatCount } from '../src/contract/quantities.ts';
import { strangerParts } from '../src/domain/access/shares.ts';

/** What callers share, how much of it there is, what one stranger and all strangers get, and who comes first. */
export interface Pool {
  readonly pool: string;
  readonly whole: string;
  readonly ofOne: string;
  readonly ofAll: string;
  readonly order: string;
}

const percent = (share: number) => `${share} %`;
const ONE = percent(LIMITS.strangerPercent);
const ALL = percent(LIMITS.strangersPercent);
const mebibytes = (count: number) => `${formatCount(count)} MiB`;
const queue = strangerParts(LIMITS.queuedRuns);
const slots = strangerParts(LIMITS.defaultBackgroundRuns);

/** Every pool that callers share. `npm run docs` writes it to docs/limits.md. */
export const POOLS: readonly Pool[] = [
  {
    pool: 'Space of the files of an environment, in messages or not',
    whole: `\`fileMegabytes\`, ${mebibytes(LIMITS.defaultFileMegabytes)} by default`,
    ofOne: ONE,
    ofAll: ALL,
    order: 'first come. A full share gets 413',
  },
  {
    pool: 'Of it: files that no message uses, with announced uploads',
    whole: 'the same',
    ofOne: `${mebibytes(LIMITS.strangerUnusedMegabytes)}, or one larger file`,
    ofAll: ALL,
    order: 'first come. They expire after an hour, of end users after a day',
  },
  {
    pool: 'Announced uploads of an environment that are not complete',
    whole: 'limited by the space',
    ofOne: formatCount(LIMITS.strangerUploads),
    ofAll: 'limited by the space',
    order: 'first come. The next one gets 429',
  },
  {
    pool: 'Bytes of uploads received in an hour, by IP address',
    whole: `${mebibytes(LIMITS.uploadMegabytesPerHour)} for files of the workspace`,
    ofOne: mebibytes(LIMITS.strangerUploadMegabytesPerHour),
    ofAll: 'the reserve of free space',
    order: 'first come. Counted before the first byte',
  },
  {
    pool: 'Large uploads to a bucket that a process receives at once',
    whole: formatCount(LIMITS.bucketUploadsAtOnce),
    ofOne: `${formatCount(LIMITS.bucketUploadsOfStranger)} per IP address`,
    ofAll: 'the whole',
    order: 'first come. The next one gets 429',
  },
  {
    pool: 'Background turns of an environment that wait',
    whole: formatCount(LIMITS.queuedRuns),
    ofOne: `${ONE}: ${formatCount(queue.one)}`,
    ofAll: `${ALL}: ${formatCount(queue.all)}`,
    order: 'callers alternate: the next turn is one of the caller with the fewest running turns',
  },
  {
    pool: 'Background turns of an environment that run',
    whole: `\`backgroundRuns\`, ${formatCount(LIMITS.defaultBackgroundRuns)} by default`,
    ofOne: `${ONE}: ${formatCount(slots.one)}`,
    ofAll: `${ALL}: ${formatCount(slots.all)}`,
    order: 'the same. The others wait',
  },
  {
    pool: 'Running turns of an environment',
    whole: '`concurrentRuns`, no limit by default',
    ofOne: ONE,
    ofAll: ALL,
    order: 'first come. The next one gets 429',
  },
  {
    pool: 'Open streams of a process',
    whole: formatCount(LIMITS.streamsOfProcess),
    ofOne: formatCount(LIMITS.streamsOfPerson),
    ofAll: `${ALL}: ${formatCount(strangerParts(LIMITS.streamsOfProcess).all)}`,
    order: 'first come. The next one gets 429',
  },
  {
    pool: 'Messages of a conversation that wait for its turn',
    whole: formatCount(LIMITS.queuedTurns),
    ofOne: 'the whole: a conversation belongs to its caller',
    ofAll: 'the whole',
    order: 'as they arrived',
  },
  {
    pool: 'Space of the file system of uploads',
    whole: 'everything above the reserve, `FILES_MIN_FREE_MB`',
    ofOne: `${LIMITS.uploadSentTimes} times the size of an upload, parts that lost are deleted. One request: up to ${formatBytes(LIMITS.fileBytes)}`,
    ofAll: 'the space of the environment',
    order: 'first come. Below the reserve uploads get 507',
  },
];
