/** Operations for companies: their keys, credits, and the folders that users may see. */
import { type ControlOperation, ID_COLUMN, NAME_COLUMN } from './operation.ts';

const MOST_CREDITS = 1_000_000_000;

export const COMPANY_OPERATIONS = {
  'company list': {
    summary: 'List companies',
    example: 'company list',
    of: 'sandbox',
    parameters: {},
    columns: [
      ID_COLUMN,
      NAME_COLUMN,
      { name: 'adminUserId', title: 'ADMIN', kind: 'number' },
      { name: 'timezone' },
      { name: 'emailcreditbalance', title: 'EMAIL CREDITS', kind: 'number' },
      { name: 'smscreditbalance', title: 'SMS CREDITS', kind: 'number' },
      { name: 'locked', kind: 'bool' },
    ],
    empty: 'There are no companies yet.',
    reads: true,
  },
  'company key': {
    summary: 'Show the API key of a company',
    example: 'company key 2',
    of: 'sandbox',
    parameters: { id: { kind: 'id', given: 'place', describe: 'Company id', required: true } },
    columns: [ID_COLUMN, NAME_COLUMN, { name: 'apiKey' }, { name: 'adminUserId', kind: 'number' }],
    reads: true,
  },
  'credits set': {
    summary: 'Set the credit balances of a company',
    about: 'Without --company, uses the first company of the sandbox',
    example: 'credits set --email 10000 --sms 500',
    of: 'company',
    parameters: {
      email: { kind: 'count', min: 0, max: MOST_CREDITS, describe: 'E-mail credit balance' },
      sms: { kind: 'count', min: 0, max: MOST_CREDITS, describe: 'SMS credit balance' },
    },
    columns: [
      ID_COLUMN,
      { name: 'emailcreditbalance', kind: 'number' },
      { name: 'smscreditbalance', kind: 'number' },
    ],
  },
  'user restrict': {
    summary: 'Restrict a user to some folders',
    about: 'Without --folder the user sees all folders again',
    example: 'user restrict 2 --folder 1',
    of: 'company',
    parameters: {
      id: { kind: 'id', given: 'place', describe: 'User id', required: true },
      folders: { kind: 'ids', called: 'folder', describe: 'Folder id that the user can see' },
    },
    columns: [ID_COLUMN, { name: 'username' }, { name: 'folders' }],
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;
