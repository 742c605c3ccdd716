import { type Format, httpUrl, text, wholeNumber } from './formats.ts';
import { type Requirement, variable } from './variable.ts';

const usesBucket: Requirement = {
  condition: 'S3_BUCKET is set',
  holds: ({ S3_BUCKET }) => S3_BUCKET !== undefined,
};

const commandLine: Format<readonly string[]> = {
  accepts: 'a program and its arguments, separated by spaces, for example `clamdscan --no-summary -`',
  parse(value) {
    const words = value.split(/\s+/).filter((word) => word !== '');
    return words.length > 0 ? words : undefined;
  },
};

/** The variables of uploaded files. */
export const FILE_VARIABLES = {
  FILES_DIR: variable(
    {
      meaning:
        'The directory of uploaded files. Processes that share a database also share it. Not used if S3_BUCKET is set.',
      fallback: 'the folder files in DATA_DIR. With memory all files are lost when the process ends',
    },
    text('a directory'),
  ),
  FILES_MIN_FREE_MB: variable(
    {
      meaning:
        'The MiB of the file system of FILES_DIR that uploads leave free. With less free space uploads get 507, and turns ' +
        'go on. Not used if S3_BUCKET is set.',
      fallback: 'the greater of 1 GiB and 5 % of the file system, but at most 10 % of it',
    },
    wholeNumber(0, 100_000_000),
  ),
  FILES_SCAN_COMMAND: variable(
    {
      meaning:
        'A program that inspects each uploaded file before it can be read, with its arguments. It runs without a shell, ' +
        'and gets the bytes on its standard input. Another exit code than 0 rejects the file.',
      fallback: 'files are not scanned',
    },
    commandLine,
  ),
  S3_BUCKET: variable(
    { meaning: 'The bucket of an S3-compatible storage for uploaded files.', fallback: 'files are kept in FILES_DIR' },
    text('the name of a bucket', (value) => /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value)),
  ),
  S3_ENDPOINT: variable(
    { meaning: 'The base URL of the S3-compatible storage, as clients reach it.', fallback: 'Amazon S3 in S3_REGION' },
    httpUrl,
  ),
  S3_REGION: variable(
    { meaning: 'The region of the bucket.', default: 'us-east-1' },
    text('a region', (value) => /^[a-z0-9-]{1,64}$/.test(value)),
  ),
  S3_ACCESS_KEY_ID: variable(
    { meaning: 'The ID of the access key for the bucket.', fallback: 'no key', required: usesBucket },
    text('an access key ID'),
  ),
  S3_SECRET_ACCESS_KEY: variable(
    { meaning: 'The secret of the access key for the bucket.', fallback: 'no key', required: usesBucket },
    text('a secret access key'),
  ),
} as const;
