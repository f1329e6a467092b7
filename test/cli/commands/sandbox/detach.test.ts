import { expect, it } from 'vitest';
import { withoutKeys } from '../../../../src/cli/commands/sandbox/detach.ts';

const env = { PATH: '/bin', PGPASSWORD: 'a', PGHOST: 'db', SVC_API_KEY: 'b', SVC_PARTNER_API_KEY: 'c' };

it.each([
  [false, ['PATH', 'PGHOST']],
  [true, ['PATH', 'PGPASSWORD', 'PGHOST']],
])('a detached sandbox gets no keys, and PGPASSWORD only for a database: %j', (usesDatabase, names) => {
  expect(Object.keys(withoutKeys(env, usesDatabase))).toEqual(names);
});
