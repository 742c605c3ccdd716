/** Gives the browser a file that was made on the page. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has its own hold on the content once it has begun.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Rows as RFC 4180 writes them. What a spreadsheet would take for a formula is told to be text. */
export function csvOf(rows: readonly (readonly (string | number | null)[])[]): Blob {
  const text = rows.map((row) => row.map(cellOf).join(',')).join('\r\n');
  return new Blob([`${text}\r\n`], { type: 'text/csv;charset=utf-8' });
}

function cellOf(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
