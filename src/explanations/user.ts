import type { user as declaration } from '../resources/user.ts';
import type { ExplanationOf } from './explanation.ts';

const CREATE = 'user create --username ada --firstname Ada --lastname Byron --email ada@example.com';

export const user: ExplanationOf<typeof declaration> = {
  sections: 'user; States and transitions; Endpoints, user; Limits',
  about: [
    'A person who can work in the account: its one admin, or a sub-user. Every request of a company runs as one of its users, and records that this user cannot see are hidden.',
  ],
  traps: [
    'password is write-only with company authentication: it is always returned as null.',
    'A user whose login fails three times in a row is locked, and the interface shows no request that unlocks one.',
    'Only partners can create admins, and the first user of an account must be its admin.',
  ],
  permissions: [
    'The admin can read all users, make users, and change and delete the others, but not delete themselves.',
    'A sub-user can read and change only their own record.',
  ],
  states: [
    'From unlocked to locked: three failed logins in a row. The interface does not show how to unlock a user.',
  ],
  fields: {
    id: { about: ['Use it for --user and SVC_USER_ID.'], example: 'user get 12' },
    active: {
      about: ['The interface does not say what an inactive user cannot do. It is not the same as locked.'],
      example: 'user update 12 --active false',
    },
    currentuser: {
      about: ['svc user whoami shows that record.'],
      example: 'user whoami',
    },
    isadmin: {
      traps: [
        'Only a partner can set it, and only when creating the user: PUT does not accept it.',
        'A company has exactly one admin. The first user of an account must be the admin; the sandbox rejects a second admin with 409.',
      ],
      example: `${CREATE} --isadmin`,
    },
    lastlogon: { about: ['The interface allows null but does not say when.'] },
    locked: {
      traps: [
        'No request changes it: the interface shows how a user gets locked and not how one is unlocked.',
      ],
      about: ['It differs from active, and from locked of an account.'],
    },
    msisdn: {
      about: ['svc takes digits with the country code; a leading + is dropped.'],
      example: 'user update 12 --msisdn 447700900123',
    },
    password: {
      traps: [
        'It is returned as null, always with company authentication: null does not mean that no password is set.',
        'As a flag, it is visible in ps and in the shell history. --data - reads the attributes from standard input.',
      ],
      about: [
        'It is required when you create a user, but can be null. svc sends null if you omit it. The interface does not say what null does.',
      ],
      example: 'user update 12 --data @new-password.json',
    },
    timezone: {
      traps: [
        'It is read-only, and it is not the zone of rules: actionhour is a local time in the zone of the company.',
      ],
    },
    username: {
      about: [
        'The interface does not say that it is unique. In the sandbox, a second user with that name is rejected with 409.',
      ],
    },
  },
};
