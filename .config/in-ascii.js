/**
 * Returns a plug-in that escapes what `charset: 'ascii'` leaves: characters in tagged templates and in comments with a license. A single
 * such character would make V8 store the whole chunk with two octets for each character, and decode it at every start. A source map keeps
 * its lines, and only columns after an escape are off.
 */
export function inAscii() {
  return {
    name: 'in-ascii',
    transform: (code) => ({ code: code.replaceAll(NOT_ASCII, escapeOf), map: null }),
  };
}

const NOT_ASCII = /[^\0-\x7f]/g;
const escapeOf = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
