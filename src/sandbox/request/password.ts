/** Hashes passwords with scrypt and a salt. The text is never stored. */
import { scrypt, timingSafeEqual } from 'node:crypto';

const OCTETS = 32;
/** Cost of a hash, about 20 ms: enough for a sandbox, and short enough not to delay other requests. */
const COST = 8_192;

/** Returns the hash. @param salt 16 random octets */
export async function hashPassword(password: string, salt: Uint8Array): Promise<string> {
  const key = await keyOf(password, salt);
  return `scrypt$${COST}$${Buffer.from(salt).toString('hex')}$${key.toString('hex')}`;
}

/** Checks the password. Without a stored hash it returns false after the same time. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, salt = '00', expected = ''] =
    /^scrypt\$[0-9]+\$([0-9a-f]+)\$([0-9a-f]+)$/.exec(stored ?? '') ?? [];
  const key = await keyOf(password, Buffer.from(salt, 'hex'));
  const wanted = Buffer.from(expected.padEnd(OCTETS * 2, '0'), 'hex');
  return timingSafeEqual(key, wanted) && expected !== '';
}

function keyOf(password: string, salt: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, OCTETS, { N: COST }, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
