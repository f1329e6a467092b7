/** What the interface doesn't describe is made here: lists, fields, searches, destinations, forms, senders, credits. */

import type { Group } from '../../command/command.ts';
import type { Column } from '../../output/result.ts';
import { controlVerb, type Param } from './control-verb.ts';

const id: Column = { name: 'id', kind: 'number' };
const name: Column = { name: 'name' };
const made: Column = { name: 'cdate', kind: 'timestamp' };

const nameParam: Param = { name: 'name', kind: 'text', describe: 'Its name', required: true };

const listColumns = [
  id,
  name,
  { name: 'folder_id', kind: 'number' },
  { name: 'permanent', kind: 'bool' },
  { name: 'subscriptions', kind: 'number' },
  made,
] as const satisfies readonly Column[];

export const list: Group = {
  name: 'list',
  summary: 'Make, see and delete lists',
  commands: [
    controlVerb({
      operation: 'list create',
      summary: 'Make a list',
      example: 'list create --name Newsletter --folder 1',
      params: [
        nameParam,
        { name: 'folder', kind: 'id', describe: 'Folder that it is in' },
        { name: 'permanent', kind: 'switch', describe: 'It cannot be deleted, nor its folder' },
      ],
      columns: listColumns,
    }),
    controlVerb({
      operation: 'list list',
      summary: 'Show the lists',
      example: 'list list',
      columns: listColumns,
      empty: 'There are no lists yet.',
    }),
    controlVerb({
      operation: 'list delete',
      summary: 'Delete a list; rules that need it are paused',
      destroys: (which) => `delete list ${which} of the sandbox and all its subscriptions`,
      example: 'list delete 3',
      positional: { name: 'id', kind: 'id', describe: 'Id of the list' },
      columns: [id],
    }),
  ],
};

export const field: Group = {
  name: 'field',
  summary: 'Make and see subscriber profile fields',
  commands: [
    controlVerb({
      operation: 'field create',
      summary: 'Make a subscriber profile field',
      example: 'field create --name City',
      params: [nameParam],
      columns: [id, name],
    }),
    controlVerb({
      operation: 'field list',
      summary: 'Show the subscriber profile fields',
      example: 'field list',
      columns: [id, name],
      empty: 'There are no profile fields yet.',
    }),
  ],
};

const searchColumns = [id, name, { name: 'field_id', kind: 'number' }, { name: 'equals' }, made] as const;

export const search: Group = {
  name: 'search',
  summary: 'Make and see saved searches',
  commands: [
    controlVerb({
      operation: 'search create',
      summary: 'Save a search for subscribers whose field has a value',
      example: 'search create --name Bristol --field 2 --equals Bristol',
      params: [
        nameParam,
        { name: 'field', kind: 'id', describe: 'Profile field that is looked at', required: true },
        {
          name: 'equals',
          kind: 'text',
          describe: 'Value that it must have',
          required: true,
        },
      ],
      columns: searchColumns,
    }),
    controlVerb({
      operation: 'search list',
      summary: 'Show the saved searches',
      example: 'search list',
      columns: searchColumns,
      empty: 'There are no saved searches yet.',
    }),
  ],
};

export const destination: Group = {
  name: 'destination',
  summary: 'Make SMS destinations',
  commands: [
    controlVerb({
      operation: 'destination create',
      summary: 'Make a number that receives SMS',
      example: 'destination create --destination 447700900123',
      params: [
        {
          name: 'destination',
          kind: 'text',
          value: 'number',
          describe: 'MSISDN or shortcode',
          required: true,
        },
        { name: 'shortcode', kind: 'switch', describe: 'It is a shortcode' },
      ],
      columns: [id, { name: 'destination' }, { name: 'isshortcode', kind: 'bool' }, { name: 'keyword' }],
    }),
  ],
};

export const form: Group = {
  name: 'form',
  summary: 'Make forms',
  commands: [
    controlVerb({
      operation: 'form create',
      summary: 'Make a form, by the admin unless --user says who',
      example: 'form create --name "Website footer"',
      params: [nameParam],
      takesUser: true,
      columns: [id, name, { name: 'user_id', kind: 'number' }, made],
    }),
  ],
};

export const sender: Group = {
  name: 'sender',
  summary: 'Configure the sender addresses',
  commands: [
    controlVerb({
      operation: 'sender add',
      summary: 'Add a sender address',
      example: 'sender add news@example.com',
      positional: { name: 'email', kind: 'text', describe: 'The address' },
      columns: [{ name: 'email' }],
    }),
    controlVerb({
      operation: 'sender list',
      summary: 'Show the sender addresses',
      example: 'sender list',
      columns: [{ name: 'email' }],
      empty: 'There are no sender addresses yet.',
    }),
  ],
};

export const company: Group = {
  name: 'company',
  summary: 'See the companies and their keys',
  commands: [
    controlVerb({
      operation: 'company list',
      summary: 'Show the companies',
      example: 'company list',
      columns: [
        id,
        name,
        { name: 'adminUserId', title: 'ADMIN', kind: 'number' },
        { name: 'timezone' },
        { name: 'emailcreditbalance', title: 'EMAIL CREDITS', kind: 'number' },
        { name: 'smscreditbalance', title: 'SMS CREDITS', kind: 'number' },
        { name: 'locked', kind: 'bool' },
      ],
    }),
    controlVerb({
      operation: 'company key',
      summary: 'Show the API key of a company',
      example: 'company key 2',
      positional: { name: 'id', kind: 'id', describe: 'Id of the company' },
      columns: [id, name, { name: 'apiKey' }, { name: 'adminUserId', kind: 'number' }],
    }),
  ],
};

export const credits: Group = {
  name: 'credits',
  summary: 'Set the credits',
  commands: [
    controlVerb({
      operation: 'credits set',
      summary: 'Set how many credits the company holds',
      example: 'credits set --email 10000 --sms 500',
      params: [
        { name: 'email', kind: 'number', describe: 'E-mail credits' },
        { name: 'sms', kind: 'number', describe: 'SMS credits' },
      ],
      columns: [
        id,
        { name: 'emailcreditbalance', kind: 'number' },
        { name: 'smscreditbalance', kind: 'number' },
      ],
    }),
  ],
};

export const user: Group = {
  name: 'user',
  summary: 'Restrict users to folders',
  commands: [
    controlVerb({
      operation: 'user restrict',
      summary: 'Let a user see only some folders; all again without --folder',
      example: 'user restrict 2 --folder 1',
      positional: { name: 'id', kind: 'id', describe: 'Id of the user' },
      params: [{ name: 'folder', as: 'folders', kind: 'ids', describe: 'Folder that the user sees' }],
      columns: [id, { name: 'username' }, { name: 'folders' }],
    }),
  ],
};
