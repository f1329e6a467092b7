/** Declares the operations on tokens that users create, in addition to the sandbox's own token. */
import { type ControlOperation, NAME_COLUMN } from './operation.ts';

export const SANDBOX_TOKEN_ROLES = ['control', 'outbox'] as const;
export type SandboxTokenRole = (typeof SANDBOX_TOKEN_ROLES)[number];

const COLUMNS = [NAME_COLUMN, { name: 'role' }, { name: 'cdate', kind: 'timestamp' }] as const;

export const SANDBOX_TOKEN_OPERATIONS = {
  'token create': {
    summary: 'Create a token with which a program can control the sandbox',
    about:
      'Programs on other machines use a token to call POST /control/<noun>/<verb>, with the header Authorization: Bearer TOKEN. A token of the role control can do everything except manage tokens. A token of the role outbox can read the outbox, the queue and the clock. svc shows the token only once; the sandbox keeps only its hash',
    example: 'token create --name ci --role outbox',
    scope: 'sandbox',
    parameters: {
      name: { kind: 'text', describe: 'Name: lower-case letters, digits, - and _', required: true },
      role: {
        kind: 'choice',
        choices: SANDBOX_TOKEN_ROLES,
        placeholder: 'role',
        describe: 'Permissions of the token',
        required: true,
      },
    },
    columns: [...COLUMNS, { name: 'token' }],
  },
  'token list': {
    summary: 'List the tokens with which programs control the sandbox',
    example: 'token list',
    scope: 'sandbox',
    parameters: {},
    columns: COLUMNS,
    empty: 'There are no tokens yet.',
    reads: true,
  },
  'token revoke': {
    summary: 'Revoke a token with which programs control the sandbox',
    about: 'The sandbox rejects the token from the next request on',
    example: 'token revoke ci',
    scope: 'sandbox',
    parameters: { name: { kind: 'text', given: 'place', describe: 'Name of the token', required: true } },
    columns: [NAME_COLUMN],
    destroys: 'revoke the token {name}',
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;
