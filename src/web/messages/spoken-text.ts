/** A reply without the signs of Markdown, which nobody wants to hear. */
export function spokenText(markdown: string): string {
  return (
    markdown
      .replace(/^ {0,3}(```|~~~).*$/gm, '')
      // A link or a picture becomes its text.
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/^ {0,3}(#{1,6}|>)\s+/gm, '')
      .replace(/(\*\*|__|~~|`)/g, '')
      .replace(/(?<!\w)[*_](\S(?:.{0,500}?\S)?)[*_](?!\w)/g, '$1')
      .replace(/\n{3,}/g, '\n\n')
      .trim()
  );
}
