/** One word of a command line as a shell needs it: `'it'\''s'`; what means nothing to a shell stays as it is. */
export function shellWord(text: string): string {
  return /^[\w@.,:/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
