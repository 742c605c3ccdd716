/** `historyLimit` → `history_limit`: the name of a field in REST, in the database and in the audit log. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
