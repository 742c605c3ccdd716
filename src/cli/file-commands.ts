import { type FileReport, type Finding, verifyFiles } from '../domain/files/verify.ts';
import type { Command, CommandResult } from './command.ts';

const verify: Command = {
  name: 'files verify',
  summary: 'Compares the files of all environments with their stored bytes.',
  options: {
    repair: { help: 'records what is lost, and deletes bytes that no file needs' },
    hash: { help: 'also reads all bytes, and compares their SHA-256' },
  },
  async run({ operator }, options) {
    const isRepair = options.isSet('repair');
    const report = await verifyFiles(operator.services, { repair: isRepair, hash: options.isSet('hash') });
    return resultOf(report, isRepair);
  },
};

const MEANING: Readonly<Record<Finding['kind'], string>> = {
  missing: 'missing',
  wrong_size: 'wrong size',
  wrong_hash: 'wrong hash',
  orphan: 'needed by no file',
  unknown: 'of an environment that this database does not have',
};

/** Exit code 1: bytes of files are lost. */
function resultOf(report: FileReport, isRepair: boolean): CommandResult {
  const { contents, keys, found, findings, marked, restored, deleted } = report;
  const lost = found.missing + found.wrong_size + found.wrong_hash;
  const total = lost + found.orphan + found.unknown;
  const lines = findings.map(({ kind, storageKey, fileIds }) =>
    [`${storageKey}: ${MEANING[kind]}`, ...(fileIds.length > 0 ? [`files ${fileIds.join(', ')}`] : [])].join('; '),
  );
  const rest = total > findings.length ? [`${total - findings.length} more findings are not shown.`] : [];
  const done = isRepair
    ? `Recorded as lost: ${marked}. Readable again: ${restored}. Deleted: ${deleted}.`
    : 'Nothing was changed. --repair records losses, and deletes bytes that no file needs.';
  const sums = `Checked ${contents} contents and ${keys} stored keys. Lost: ${lost}. Needed by no file: ${found.orphan}. Of unknown environments: ${found.unknown}.`;
  return {
    data: {
      contents,
      keys,
      ...found,
      ...{ marked, restored, deleted },
      findings: findings.map(({ kind, storageKey, fileIds }) => ({
        kind,
        storage_key: storageKey,
        file_ids: fileIds,
      })),
    },
    text: [...lines, ...rest, sums, done].join('\n'),
    ...(lost > 0 && { exitCode: 1 }),
  };
}

export const FILE_COMMANDS: readonly Command[] = [verify];
