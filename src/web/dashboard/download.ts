/** Downloads a file that the page created. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // A download that has started no longer needs the URL.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A CSV file (RFC 4180). A leading apostrophe keeps spreadsheets from running a text as a formula. */
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
