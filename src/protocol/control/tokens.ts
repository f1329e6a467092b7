/** Tokens of the control plane in addition to the sandbox's own. */
import { type ControlOperation, NAME_COLUMN } from './operation.ts';

export const TOKEN_ROLES = ['control', 'outbox'] as const;
export type TokenRole = (typeof TOKEN_ROLES)[number];

const COLUMNS = [NAME_COLUMN, { name: 'role' }, { name: 'cdate', kind: 'timestamp' }] as const;

export const TOKEN_OPERATIONS = {
  'token create': {
    summary: 'Create a token for the control plane',
    about:
      'For programs on other machines: POST /control/<noun>/<verb> with Authorization: Bearer TOKEN. The role control may ' +
      'all but manage tokens; outbox may read the outbox, the queue and the clock. The token is shown once and kept as a hash',
    example: 'token create --name ci --role outbox',
    of: 'sandbox',
    parameters: {
      name: { kind: 'text', describe: 'Name: lower-case letters, digits, - and _', required: true },
      role: {
        kind: 'choice',
        choices: TOKEN_ROLES,
        placeholder: 'role',
        describe: 'Permissions of the token',
        required: true,
      },
    },
    columns: [...COLUMNS, { name: 'token' }],
  },
  'token list': {
    summary: 'List the tokens of the control plane, by name',
    example: 'token list',
    of: 'sandbox',
    parameters: {},
    columns: COLUMNS,
    empty: 'There are no tokens yet.',
    reads: true,
  },
  'token revoke': {
    summary: 'Revoke a token of the control plane',
    about: 'The sandbox rejects it from the next request on',
    example: 'token revoke ci',
    of: 'sandbox',
    parameters: { name: { kind: 'text', given: 'place', describe: 'Name of the token', required: true } },
    columns: [NAME_COLUMN],
    destroys: 'revoke the token {name}',
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;
