// Interface, "Signature": the headers of a request of the bare side, made here and not by src/auth.
import { createHash, randomBytes } from 'node:crypto';

/**
 * @param who `{ key, company, user }`, or of a partner `{ key, partner }` with or without a company
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
