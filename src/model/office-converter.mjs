// Converts one Office document to Markdown, in a process of its own: a document can take all of its time and memory.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { OfficeParser } from 'officeparser';

// The service has ended: an idle process exits, and a thread ends a conversion that blocks this one.
process.once('disconnect', () => process.exit());
const service = Number(process.argv[2]);
new Worker(`setInterval(() => process.ppid === ${service} || process.kill(${process.pid}, 'SIGKILL'), 500)`, {
  eval: true,
});

const [{ bytes, fileType, limits }] = await once(process, 'message');
const document = await OfficeParser.parseOffice(Buffer.from(bytes), {
  fileType,
  decompressionLimits: { maxUncompressedBytes: limits.uncompressedBytes, maxZipEntries: limits.entries },
});
const { value } = await document.to('md', { includeImages: false });
// Without its metadata.
const text = value
  .replace(/^---\n(?:[\s\S]*?\n)?---(?:\n|$)/, '')
  .replace(/\n{3,}/g, '\n\n')
  .trim();
// One more character shows that the text is longer.
process.send(text.slice(0, limits.characters + 1));
