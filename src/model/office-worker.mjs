// Converts one Office document to Markdown, in a thread of its own: a document can take all of its time and memory.
import { parentPort, workerData } from 'node:worker_threads';
import { OfficeParser } from 'officeparser';

const { bytes, fileType, limits } = workerData;
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
parentPort.postMessage(text.slice(0, limits.characters + 1));
