// Ends the gate: the slowest test files, the failed tests, then one line with the sum of what the runner's own reports
// counted.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const sum = { passed: 0, failed: 0, skipped: 0 };
const files = [];
const failures = [];
for (const path of process.argv.slice(2)) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  sum.passed += report.numPassedTests;
  // A file that could not be loaded counts as one failure.
  const unloaded = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  sum.failed += report.numFailedTests + unloaded.length;
  sum.skipped += report.numPendingTests + report.numTodoTests;
  for (const file of report.testResults) {
    files.push({ name: file.name, ms: file.endTime - file.startTime });
    const failed = file.assertionResults.filter((test) => test.status === 'failed');
    failures.push(...failed.map((test) => `${relative(process.cwd(), file.name)} > ${test.fullName}\n${test.failureMessages.join('\n')}`));
  }
  failures.push(...unloaded.map((file) => `${relative(process.cwd(), file.name)}\n${file.message}`));
}

console.log('\nThe ten slowest test files:');
for (const { name, ms } of files.sort((a, b) => b.ms - a.ms).slice(0, 10)) {
  console.log(`${(ms / 1000).toFixed(1).padStart(8)} s  ${relative(process.cwd(), name)}`);
}
if (failures.length > 0) console.log(`\nFailed:\n${failures.join('\n')}`);
console.log(`tests: ${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exitCode = sum.failed > 0 || sum.passed === 0 ? 1 : 0;
