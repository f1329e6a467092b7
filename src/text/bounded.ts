/** Returns the text in at most `most` characters, with `…` in place of the rest. Use it for foreign names in our messages. */
export function bounded(text: string, most: number): string {
  // A character takes at most two code units, so it is enough to split the beginning of the text.
  if (text.length <= most) return text;
  const characters = Array.from(text.slice(0, 2 * most + 2));
  return characters.length <= most && text.length <= 2 * most
    ? text
    : `${characters.slice(0, most - 1).join('')}…`;
}
