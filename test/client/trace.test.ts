/** The output of `--debug` never contains a signature that others could use. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { redactHeaders } from '../../src/client/requests/connection.ts';

it('shows at most 6 characters of a signature, and leaves all other headers unchanged', () => {
  const scheme = fc.constantFrom('SvcHash', 'SvcPartner', 'Other', '');
  const signature = fc.stringMatching(/^[0-9a-f]{7,40}$/);
  fc.assert(
    fc.property(scheme, signature, fc.constantFrom('"', '', '"\nmore'), (name, secret, end) => {
      const headers = { date: 'now', authorization: `${name} signature="${secret}${end}`, accept: '*' };
      const shown = redactHeaders(headers);
      expect(shown).toEqual({
        ...headers,
        authorization: name === '' ? '…' : `${name} signature="${secret.slice(0, 6)}…"`,
      });
      expect(Object.keys(shown)).toEqual(Object.keys(headers));
    }),
  );
  expect(redactHeaders({ date: 'now' })).toEqual({ date: 'now' });
  expect(redactHeaders({ authorization: 'Basic abc' })).toEqual({ authorization: '…' });
});
