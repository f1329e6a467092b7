/** What the sandbox is, what it delivered and noticed, and copies of it all. */
import { NAME } from './columns.ts';
import type { ControlOperation } from './operation.ts';

const DELIVERY_COLUMNS = [
  { name: 'id' },
  { name: 'time', kind: 'timestamp' },
  { name: 'channel' },
  { name: 'to' },
  { name: 'from' },
  { name: 'subject' },
  { name: 'cause' },
] as const;

const WHICH = { kind: 'text', given: 'place', describe: 'Its id in the list', required: true } as const;

const SNAPSHOT = {
  kind: 'text',
  given: 'place',
  describe: 'Lower-case letters, digits, - and _',
  required: true,
} as const;

const SNAPSHOT_COLUMNS = [
  NAME,
  { name: 'octets', kind: 'number' },
  { name: 'saved', kind: 'timestamp' },
] as const;

export const OUTBOX_OPERATIONS = {
  'outbox list': {
    summary: 'List what was delivered, newest last',
    example: 'outbox list --limit 20',
    of: 'company',
    parameters: {
      after: {
        kind: 'cursor',
        given: 'computed',
        describe: 'Those after this entry, or from the first on where it is empty; the newest unless given',
      },
      limit: {
        kind: 'count',
        min: 1,
        max: 1000,
        default: 1000,
        given: 'computed',
        describe: 'How many in one answer',
      },
    },
    columns: DELIVERY_COLUMNS,
    empty: 'Nothing was delivered yet.',
    reads: true,
  },
  'outbox show': {
    summary: 'Show one delivered message in full',
    example: 'outbox show t1-12',
    of: 'company',
    parameters: { id: WHICH },
    columns: DELIVERY_COLUMNS,
    reads: true,
  },
  'outbox eml': {
    summary: 'The e-mail as it went out: header and body',
    example: 'outbox show t1-12 --eml',
    of: 'company',
    parameters: { id: WHICH },
    columns: [{ name: 'id' }, { name: 'eml' }],
    reads: true,
    askedBy: 'outbox export',
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;

export const LOG_OPERATIONS = {
  'log list': {
    summary: 'List the newest lines of the log',
    example: 'log list',
    of: 'sandbox',
    parameters: { limit: { kind: 'count', min: 1, max: 10_000, default: 100, describe: 'How many' } },
    columns: [{ name: 'time', kind: 'timestamp' }, { name: 'kind' }, { name: 'text' }],
    empty: 'The log is empty.',
    reads: true,
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;

export const SNAPSHOT_OPERATIONS = {
  'snapshot save': {
    summary: 'Save all that the sandbox holds, keys and clock included',
    example: 'snapshot save before-campaign',
    of: 'sandbox',
    parameters: { name: SNAPSHOT },
    columns: SNAPSHOT_COLUMNS,
    long: true,
  },
  'snapshot restore': {
    summary: 'Put a snapshot in the place of what the sandbox holds',
    example: 'snapshot restore before-campaign',
    of: 'sandbox',
    parameters: { name: SNAPSHOT },
    columns: [NAME, { name: 'time', kind: 'timestamp' }],
    long: true,
    destroys: 'replace all data of the sandbox with the snapshot {name}',
  },
  'snapshot list': {
    summary: 'List the snapshots',
    example: 'snapshot list',
    of: 'sandbox',
    parameters: {},
    columns: SNAPSHOT_COLUMNS,
    empty: 'There are no snapshots yet.',
    reads: true,
  },
  'snapshot delete': {
    summary: 'Delete a snapshot',
    example: 'snapshot delete before-campaign',
    of: 'sandbox',
    parameters: { name: SNAPSHOT },
    columns: [NAME],
    destroys: 'delete the snapshot {name}',
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;

export const STATUS_OPERATIONS = {
  status: {
    summary: 'Show whether a sandbox is running, and what it holds',
    example: 'status',
    of: 'sandbox',
    parameters: {},
    columns: [
      { name: 'running', kind: 'bool' },
      { name: 'baseUrl' },
      { name: 'pid' },
      { name: 'dataDir' },
      { name: 'clock' },
      { name: 'time', kind: 'timestamp' },
    ],
    reads: true,
  },
  stop: {
    summary: 'Stop the sandbox',
    example: 'stop',
    of: 'sandbox',
    parameters: {},
    columns: [{ name: 'stopping', kind: 'bool' }, { name: 'pid' }],
  },
} as const satisfies Readonly<Record<string, ControlOperation>>;
