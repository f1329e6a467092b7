/**
 * The address that a text names, or undefined. Not by `URL.canParse`: once V8 has optimised a caller, Node 20 reads a text with
 * letters beyond ASCII as if it were UTF-8, and finds no address in `https://münchen.example`.
 */
export function readUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
