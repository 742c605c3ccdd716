// The last line of the gate: what the runner's own reports counted, summed.
import { readFileSync } from 'node:fs';

const sum = { passed: 0, failed: 0, skipped: 0 };
for (const path of process.argv.slice(2)) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  sum.passed += report.numPassedTests;
  // A file that could not be loaded counts no test of its own.
  const unloaded = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  sum.failed += report.numFailedTests + unloaded.length;
  sum.skipped += report.numPendingTests + report.numTodoTests;
}
console.log(`tests: ${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exitCode = sum.failed > 0 || sum.passed === 0 ? 1 : 0;
