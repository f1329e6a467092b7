// Signs requests of the bare side (interface, "Signature"). It has its own code, so that it does not depend on src/service/auth.
import { createHash, randomBytes } from 'node:crypto';

/**
 * Returns the headers of a signed request.
 * @param who `{ key, company, user }`, or `{ key, partner }` of a partner, with or without a company
 * @param path without a query
 */
export function signed(method, path, { key, partner, company, user }) {
  const date = new Date().toUTCString();
  const nonce = randomBytes(20).toString('hex');
  const ids = [
    ['PID', partner],
    ['CID', company],
    ['UID', user],
  ].filter(([, id]) => id !== undefined);
  const lines = [
    `${method} ${path}`,
    `Date: ${date}`,
    ...ids.map(([name, id]) => `X-Svc-${name}: ${id}`),
    `X-Svc-Nonce: ${nonce}`,
    key,
  ];
  const signature = createHash('sha1').update(lines.join('\r\n')).digest('hex');
  return {
    date,
    accept: 'application/json',
    ...Object.fromEntries(ids.map(([name, id]) => [`x-svc-${name.toLowerCase()}`, String(id)])),
    'x-svc-nonce': nonce,
    authorization: `${partner === undefined ? 'SvcHash' : 'SvcPartner'} signature="${signature}"`,
  };
}
