/**
 * Returns why a text can't be stored unchanged, or undefined (wire, "Requests", text). Databases and programs end a text at U+0000, and
 * half of a surrogate pair becomes U+FFFD in UTF-8.
 */
export function brokenText(text: string): string | undefined {
  if (text.includes('\u0000')) return 'holds U+0000, at which others end a text';
  const [half] = /\p{Surrogate}/u.exec(text) ?? [];
  if (half === undefined) return undefined;
  return `holds half of a surrogate pair (U+${half.charCodeAt(0).toString(16).toUpperCase()}), which is not a character`;
}
