/** Maximum length of a nonce. Interface, "Company hash": a random string of up to 40 characters. */
export const MAX_NONCE_LENGTH = 40;
export const NONCE_OCTETS = 20;

/** Returns 20 random octets as 40 lower-case hexadecimal characters. */
export function nonceFrom(random: Uint8Array): string {
  if (random.length !== NONCE_OCTETS) throw new RangeError(`a nonce is made of ${NONCE_OCTETS} octets`);
  return Buffer.from(random).toString('hex');
}
