import { int, string } from '../../schema/field.ts';
import { defineResource } from '../../schema/resource.ts';

/** Not in the interface: a session token in exchange for a user's name and password. Only POST. */
export const token = defineResource({
  name: 'token',
  noun: 'token',
  describe: 'A session token, accepted instead of a signature',
  singular: 'a token',
  plural: 'tokens',
  fields: {
    username: string('Name to log in with', { format: 'username' }),
    password: string('Password of the user', { writeOnly: true }),
    token: string('96 characters of A-Z a-z 0-9 + /'),
    expiry: int('When it ends', { format: 'timestamp' }),
  },
  methods: { post: { required: ['username', 'password'] } },
  identifiedBy: [],
  columns: ['token', 'expiry'],
});
