/** Returns one word of a command line, quoted for a shell: `'it'\''s'`. A text without special characters stays unchanged. */
export function shellWord(text: string): string {
  return /^[\w@.,:/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
