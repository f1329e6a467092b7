/** Companies, their keys, credits, and what their users may see. */
import { ID, NAME } from './columns.ts';
import type { ControlOperation } from './operation.ts';

const MOST_CREDITS = 1_000_000_000;

export const COMPANY_OPERATIONS = {
  'company list': {
    summary: 'Show the companies',
    example: 'company list',
    of: 'sandbox',
    parameters: {},
    columns: [
      ID,
      NAME,
      { name: 'adminUserId', title: 'ADMIN', kind: 'number' },
      { name: 'timezone' },
      { name: 'emailcreditbalance', title: 'EMAIL CREDITS', kind: 'number' },
      { name: 'smscreditbalance', title: 'SMS CREDITS', kind: 'number' },
      { name: 'locked', kind: 'bool' },
    ],
    empty: 'There is nothing yet.',
    reads: true,
  },
  'company key': {
    summary: 'Show the API key of a company',
    example: 'company key 2',
    of: 'sandbox',
    parameters: { id: { kind: 'id', given: 'place', describe: 'Id of the company', required: true } },
    columns: [ID, NAME, { name: 'apiKey' }, { name: 'adminUserId', kind: 'number' }],
    reads: true,
  },
  'credits set': {
    summary: 'Set how many credits the company holds',
    example: 'credits set --email 10000 --sms 500',
    of: 'company',
    parameters: {
      email: { kind: 'count', min: 0, max: MOST_CREDITS, describe: 'E-mail credits' },
      sms: { kind: 'count', min: 0, max: MOST_CREDITS, describe: 'SMS credits' },
    },
    columns: [
      ID,
      { name: 'emailcreditbalance', kind: 'number' },
      { name: 'smscreditbalance', kind: 'number' },
    ],
  },
  'user restrict': {
    summary: 'Let a user see only some folders; all again without --folder',
    example: 'user restrict 2 --folder 1',
    of: 'company',
    parameters: {
      id: { kind: 'id', given: 'place', describe: 'Id of the user', required: true },
      folders: { kind: 'ids', called: 'folder', describe: 'Folder that the user sees' },
    },
    columns: [ID, { name: 'username' }, { name: 'folders' }],
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;
