/** A CSV file (RFC 4180). A leading apostrophe keeps spreadsheets from running a text as a formula. */
export function csvOf(rows: readonly (readonly (string | number | null)[])[]): Blob {
  const text = rows.map((row) => row.map(cellOf).join(',')).join('\r\n');
  return new Blob([`${text}\r\n`], { type: 'text/csv;charset=utf-8' });
}

function cellOf(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
