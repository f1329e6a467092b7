/** The text in at most so many characters, with `…` for what was cut: names of others stand in our sentences. */
export function bounded(text: string, most: number): string {
  // No text within twice as many code units has to be taken apart.
  if (text.length <= most) return text;
  const characters = Array.from(text.slice(0, 2 * most + 2));
  return characters.length <= most && text.length <= 2 * most
    ? text
    : `${characters.slice(0, most - 1).join('')}…`;
}
