/**
 * Indexes for the interface's lists: each page is found in an index and read in its order, never sorted (docs/design.md, "The store"). This
 * step has been merged and is never edited. An attribute that gets an F or S later gets its indexes in a new step, which
 * test/sandbox/store/query-plans.test.ts requires.
 */
interface Listed {
  readonly table: string;
  /** Attributes with F. If each value belongs to one row, the unique index is enough. */
  readonly filters?: readonly string[];
  /** Attributes with S besides `id`. */
  readonly sorts?: readonly string[];
  /** Condition for the rows that the interface shows. */
  readonly where?: string;
  /** Set if the index by account alone already exists. */
  readonly isByAccount?: true;
}

const TIMED_RULE = {
  filters: ['actiononweekend', 'name', 'paused', 'user_id'],
  sorts: ['actionhour', 'actiontimediff', 'name', 'cdate'],
  isByAccount: true,
} as const;

const LISTED: readonly Listed[] = [
  { table: 'user', sorts: ['cdate'] },
  { table: 'sms', filters: ['msisdn', 'fromaddress', 'user_id'], sorts: ['cdate'], isByAccount: true },
  {
    table: 'sms_message',
    filters: ['editable', 'name', 'used'],
    sorts: ['name', 'cdate'],
    where: 'deleted = 0',
  },
  {
    table: 'email_message',
    filters: ['customoptin', 'editable', 'name', 'used'],
    sorts: ['name', 'cdate'],
    where: 'deleted = 0',
  },
  { table: 'email_message_link', filters: ['message_id', 'task_id', 'type'], sorts: ['cdate'] },
  {
    table: 'task',
    filters: ['cancelled', 'channel', 'completed', 'list_id', 'message_id', 'name'],
    sorts: ['endtime', 'name', 'scheduledtime', 'cdate'],
    isByAccount: true,
  },
  { table: 'folder', filters: ['name'], sorts: ['name', 'cdate'], isByAccount: true },
  { table: 'do_not_contact', sorts: ['cdate'] },
  { table: 'form', filters: ['name', 'user_id'], sorts: ['name', 'cdate'] },
  { table: 'sms_destination', filters: ['isshortcode'] },
  { table: 'click_automation', ...TIMED_RULE },
  { table: 'open_automation', ...TIMED_RULE },
  { table: 'subscription_automation', ...TIMED_RULE },
  { table: 'date_automation', ...TIMED_RULE },
  {
    table: 'sms_automation',
    filters: ['name', 'paused', 'user_id'],
    sorts: ['name', 'cdate'],
    isByAccount: true,
  },
];

/** Returns the indexes: by account, then the filter, then the sort. Every index of SQLite ends with the id. */
function indexesOf({ table, filters = [], sorts = [], where, isByAccount }: Listed): readonly string[] {
  const orders = [undefined, ...filters].flatMap((filter) =>
    [undefined, ...sorts].map((sort) => new Set([filter, sort].filter((column) => column !== undefined))),
  );
  const columns = new Set(orders.map((order) => [...order].join(', ')));
  if (isByAccount) columns.delete('');
  return [...columns].map((list) => {
    const name = [table, ...(list === '' ? ['account'] : ['by', ...list.split(', ')])].join('_');
    const on = ['account_id', ...(list === '' ? [] : [list])].join(', ');
    return `create index ${name} on ${table} (${on})${where === undefined ? '' : ` where ${where}`};`;
  });
}

export const LIST_INDEXES = `
-- What is deleted is no part of any page.
drop index sms_message_account;
drop index email_message_account;
${LISTED.flatMap(indexesOf).join('\n')}
`;
