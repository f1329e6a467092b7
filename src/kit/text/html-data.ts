/** Reads pages, pictures and styles that are part of an address: `data:image/svg+xml,…`. */

interface DataText {
  readonly kind: 'html' | 'css';
  readonly text: string;
}

/** Returns the text of a `data:` address if it is HTML, SVG, XML, plain text or a style sheet. Returns undefined for all other addresses. */
export function readDataAddress(address: string): DataText | undefined {
  if (!/^data:/i.test(address)) return undefined;
  const comma = address.indexOf(',');
  const type = address.slice('data:'.length, Math.max(0, comma)).toLowerCase();
  const isText = type === '' || /^\s*(?:;|text\/|application\/(?:xhtml\+)?xml|image\/svg\+xml)/.test(type);
  if (comma === -1 || !isText) return undefined;
  const data = decoded(address.slice(comma + 1));
  const text = /;\s*base64\s*$/.test(type) ? fromBase64(data) : data;
  return text === undefined ? undefined : { kind: type.startsWith('text/css') ? 'css' : 'html', text };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the text as UTF-8, or undefined for text that is not base64. */
function fromBase64(text: string): string | undefined {
  try {
    const octets = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new TextDecoder().decode(octets);
  } catch {
    return undefined;
  }
}
