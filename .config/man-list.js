/** Returns the text of package.json with a list of the manual pages on one line. @param text without such a list */
export function withManList(text, pages) {
  const line = `  "man": ${JSON.stringify([...pages].sort())},\n`;
  const listed = text.replace(BEFORE, () => `${line}${BEFORE}`);
  if (listed === text) throw new Error('package.json has no "files" to put "man" in front of');
  return listed;
}

/** Returns the text as it was before `withManList`. */
export const withoutManList = (text) => text.replace(/^ {2}"man": \[.*\],\n/m, '');

const BEFORE = '  "files": [\n';
