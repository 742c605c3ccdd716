// Ends the gate: the slowest test files, the failed tests, then one line with the sum of what the runner's own reports
// counted.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

/** Lines that are printed of each process. */
const LOG_LINES = 40;

/** Characters of a failure's message at the end of the output. */
const MESSAGE_LENGTH = 400;

const sum = { passed: 0, failed: 0, skipped: 0 };
const files = [];
const failures = [];
const failedFiles = new Set();
for (const path of process.argv.slice(2)) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  sum.passed += report.numPassedTests;
  // A file that could not be loaded, or whose setup failed, counts as one failure.
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  sum.failed += report.numFailedTests + unloaded.length;
  sum.skipped += report.numPendingTests + report.numTodoTests;
  for (const file of report.testResults) {
    files.push({ name: file.name, ms: file.endTime - file.startTime });
    const failed = file.assertionResults.filter((test) => test.status === 'failed');
    if (failed.length > 0) failedFiles.add(basename(file.name));
    failures.push(...failed.map((test) => `${relative(process.cwd(), file.name)} > ${test.fullName}\n${test.failureMessages.join('\n')}`));
  }
  failures.push(...unloaded.map((file) => `${relative(process.cwd(), file.name)}\n${file.message}`));
}

console.log('\nThe ten slowest test files:');
for (const { name, ms } of files.sort((a, b) => b.ms - a.ms).slice(0, 10)) {
  console.log(`${(ms / 1000).toFixed(1).padStart(8)} s  ${relative(process.cwd(), name)}`);
}
if (failures.length > 0) console.log(`\nFailed:\n${failures.join('\n')}`);
// The end of what each process of a failed file printed.
const logs = process.env.TEST_LOGS;
for (const name of logs ? readdirSync(logs).sort() : []) {
  if (![...failedFiles].some((file) => name.startsWith(`${file}-`))) continue;
  const lines = readFileSync(join(logs, name), 'utf8').trimEnd().split('\n');
  console.log(`\n${name}, the last of ${lines.length} lines:\n${lines.slice(-LOG_LINES).join('\n')}`);
}
// Again, each in two lines: a reader who keeps only the end of the output sees what failed.
for (const failure of failures) {
  const [name, ...message] = failure.split('\n');
  console.log(`failed: ${name}\n        ${message.join(' ').replace(/\s+/g, ' ').slice(0, MESSAGE_LENGTH)}`);
}
console.log(`tests: ${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exitCode = sum.failed > 0 || sum.passed === 0 ? 1 : 0;
