/**
 * Returns the parsed URL, or undefined. It does not use `URL.canParse`: once V8 has optimised a caller, Node 20 misreads a text with
 * letters beyond ASCII as UTF-8, and rejects `https://münchen.example`.
 */
export function readUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
