import {
  bool,
  creationTime,
  filterable,
  id,
  int,
  lastChangeTime,
  orNull,
  string,
} from '../../kit/schema/field.ts';
import { defineResource, type RecordOf } from '../../kit/schema/resource.ts';

/** Declares the resource `user` (interface, "user"). */
export const user = defineResource({
  name: 'user',
  noun: 'user',
  describe: 'A person who works in the account: the admin or a sub-user',
  singular: 'a user',
  plural: 'users',
  fields: {
    id: id('User id'),
    active: bool('The user is active'),
    currentuser: bool('The user is you (the user who makes the request)', filterable),
    email: string('E-mail address', { format: 'email' }),
    firstname: string('First name'),
    isadmin: bool('The user is the admin', { default: false }),
    lastlogon: orNull(int('When the user last logged in', { format: 'timestamp' })),
    locked: bool('Locked after 3 failed logins in a row'),
    logins: int('How often the user has logged in'),
    msisdn: orNull(string('Mobile number', { format: 'msisdn' })),
    password: orNull(
      string('Password: at least 7 characters, with letters and numbers', {
        format: 'password',
        writeOnly: true,
      }),
    ),
    lastname: string('Last name'),
    username: string('Login name', { filter: true, format: 'username' }),
    timezone: string('Time zone of the user (TZ name)', { format: 'timezone' }),
    cdate: creationTime(),
    mdate: lastChangeTime(),
  },
  methods: {
    get: {},
    head: { attributes: ['id', 'currentuser', 'username'] },
    post: {
      required: ['email', 'firstname', 'lastname', 'username', 'password'],
      optional: ['active', 'msisdn'],
      partner: { optional: ['isadmin'] },
    },
    put: { optional: ['active', 'email', 'firstname', 'lastname', 'msisdn', 'password', 'username'] },
    delete: { by: ['id'] },
  },
  calledBy: 'username',
  identifiedBy: ['username'],
  examples: {
    create:
      'user create --username ada --firstname Ada --lastname Byron --email ada@example.com --password-stdin',
    delete: 'user delete 3 --yes',
    update: 'user update 2 --email ada@example.com',
  },
  deleteWarning: { consequence: () => ', who can no longer act' },
  columns: ['id', 'username', 'firstname', 'lastname', 'email', 'isadmin', 'active', 'locked', 'lastlogon'],
});

export type UserRecord = RecordOf<typeof user>;
