import type { user as declaration } from '../user.ts';
import type { ExplanationOf } from './explanation.ts';

const CREATE = 'user create --username ada --firstname Ada --lastname Byron --email ada@example.com';

export const user: ExplanationOf<typeof declaration> = {
  sections: 'user; States and transitions; Endpoints, user; Limits',
  about: [
    'A person who may work in the account: its one admin, or a sub-user. All requests of a company run as one of its users, and what that user may not see stays hidden.',
  ],
  traps: [
    'password can be written and, with company authentication, never read: it is always returned as null.',
    'A user whose login fails three times in a row is locked, and the interface shows no request that unlocks one.',
    'Admins are made by partners alone, and the first user of an account has to be its admin.',
  ],
  permissions: [
    'The admin can read all users, make users, and change and delete the others, but not delete themselves.',
    'A sub-user can read and change only their own record.',
  ],
  states: [
    'From unlocked to locked: three failed logins in a row. The interface shows nothing of the way back.',
  ],
  fields: {
    id: { about: ['It is what --user and SVC_USER_ID name.'], example: 'user get 12' },
    active: {
      about: [
        'The interface does not say what a user who is not active cannot do. It is not the same as locked.',
      ],
      example: 'user update 12 --active false',
    },
    currentuser: {
      about: ['svc user whoami shows that record.'],
      example: 'user whoami',
    },
    isadmin: {
      traps: [
        'Only a partner can set it, and only when the user is made: no PUT takes it.',
        'A company has exactly one admin. The first user of an account has to be the admin; the sandbox refuses a second one with 409.',
      ],
      example: `${CREATE} --isadmin`,
    },
    lastlogon: { about: ['The interface lets it be null and does not say when.'] },
    locked: {
      traps: [
        'No request changes it: the interface shows how a user gets locked and not how one is unlocked.',
      ],
      about: ['It is not the same as active, nor as the locked of an account.'],
    },
    msisdn: {
      about: ['svc takes digits with the country code; a leading + is dropped.'],
      example: 'user update 12 --msisdn 447700900123',
    },
    password: {
      traps: [
        'It is returned as null, always with company authentication: null does not mean that there is none.',
        'Given as a flag it shows in ps and in the history of the shell. --data - reads the attributes from standard input.',
      ],
      about: [
        'It is required when a user is made, though it may be null; svc sends null where it is not given. The interface does not say what null does.',
      ],
      example: 'user update 12 --data @new-password.json',
    },
    timezone: {
      traps: [
        'It cannot be set, and it is not the zone of rules: actionhour is a local time in the zone of the company.',
      ],
    },
    username: {
      about: [
        'The interface does not say that it is unique. In the sandbox a second user of that name is refused with 409.',
      ],
    },
  },
};
