/** Messages of both channels with the links in e-mails, tasks, single SMS, and their deliveries. */
import type { RecipientReaction } from '../../../service/protocol/control/audience.ts';
import type { RuleKind } from '../../../service/resources/rule-kinds.ts';
import type { Channel } from '../../../service/resources/task.ts';
import {
  accountId,
  decimal,
  id,
  index,
  indexesForListing,
  integer,
  oneOf,
  table,
  tableWithKey,
  text,
} from './table.ts';

export const sendTables = {
  sms_message: table(
    {
      id,
      account_id: accountId,
      user_id: integer,
      name: text,
      fromname: text,
      message: text,
      subinfo: integer.or(0),
      editable: integer.or(1),
      used: integer.or(0),
      deleted: integer.or(0),
      cdate: decimal,
      mdate: decimal,
    },
    { indexes: indexesForListing(['editable', 'name', 'used'], ['name', 'cdate'], 'deleted = 0') },
  ),
  email_message: table(
    {
      id,
      account_id: accountId,
      user_id: integer,
      name: text,
      customoptin: integer.or(0),
      defaultoptin: integer.or(0),
      editable: integer.or(1),
      editor: integer.or(1),
      fromemail: text.orNull,
      fromname: text,
      galinkdata: integer.or(0),
      html: text,
      replyemail: text,
      friendlink: integer.or(0),
      subject: text,
      text,
      tracktextlinks: integer.or(0),
      used: integer.or(0),
      deleted: integer.or(0),
      cdate: decimal,
      mdate: decimal,
    },
    {
      indexes: indexesForListing(
        ['customoptin', 'editable', 'name', 'used'],
        ['name', 'cdate'],
        'deleted = 0',
      ),
    },
  ),
  email_message_link: table(
    {
      id,
      account_id: accountId,
      message_id: integer.to('email_message'),
      name: text.orNull,
      target: text,
      type: text,
      cdate: decimal,
    },
    { indexes: { ...indexesForListing(['message_id', 'type'], ['cdate']), message: index('message_id') } },
  ),
  sms: table(
    {
      id,
      account_id: accountId,
      user_id: integer,
      msisdn: text,
      fromaddress: text,
      message: text,
      senddate: decimal.orNull,
      dispatched: integer.or(0),
      failed: integer.or(0),
      /** Time of an attempt in which no network accepted the SMS, which fails at `due`. Null if there was none. */
      tried: integer.orNull,
      /** Time when the SMS is dispatched. Null once it was dispatched or has failed. */
      due: integer.orNull,
      cdate: decimal,
      mdate: decimal,
    },
    {
      indexes: {
        ...indexesForListing(['msisdn', 'fromaddress', 'user_id'], ['cdate']),
        account_due: index('account_id, due', 'due is not null'),
        due: index('due', 'due is not null'),
      },
    },
  ),
  sms_destination: table(
    {
      id,
      account_id: accountId,
      keyword: text.orNull,
      destination: text,
      isshortcode: integer.or(0),
      mdate: decimal.orNull,
    },
    { indexes: { ...indexesForListing(['isshortcode'], []), number: index('destination') } },
  ),
  task: table(
    {
      id,
      account_id: accountId,
      user_id: integer,
      name: text,
      channel: oneOf<Channel>(),
      message_id: integer,
      list_id: integer.orNull,
      search_id: integer.orNull,
      splittest_id: integer.orNull,
      rate: integer.orNull,
      scheduledtime: decimal,
      size: integer,
      cancelled: integer.or(0),
      completed: integer.or(0),
      endtime: decimal.orNull,
      emailuniquebounces: integer.orNull,
      emailuniqueclicks: integer.orNull,
      emailuniqueopens: integer.orNull,
      emailuniqueunsubscriptions: integer.orNull,
      emailuniquecomplaints: integer.orNull,
      smsuniquebounces: integer.orNull,
      /** Time when the task's next recipients are due. Null once the task is completed or cancelled. */
      due: integer.orNull,
      /** Id of the last subscriber that the task has handled. Recipients are handled in order of their ids. */
      cursor: integer.or(0),
      started: integer.or(0),
      sent: integer.or(0),
      /** Number of subscribers that the task skipped, because they are on Do Not Contact or suspended. */
      skipped: integer.or(0),
      credits: integer.or(0),
      /** Reason why the task ended early. Null if it did not. */
      stopped: text.orNull,
      cdate: decimal,
    },
    {
      indexes: {
        ...indexesForListing(
          ['cancelled', 'channel', 'completed', 'list_id', 'message_id', 'name'],
          ['endtime', 'name', 'scheduledtime', 'cdate'],
        ),
        account_due: index('account_id, due', 'due is not null'),
        due: index('due', 'due is not null'),
        message: index('channel, message_id'),
        running: index('account_id', 'started = 1 and endtime is null'),
      },
    },
  ),
  /** Record of each recipient of a task, with the first time of each reaction. */
  task_recipient: tableWithKey(
    ['task_id', 'subscriber_id'],
    {
      task_id: integer.to('task'),
      subscriber_id: integer,
      address: text,
      senttime: integer,
      opened: integer.orNull,
      clicked: integer.orNull,
      unsubscribed: integer.orNull,
      complained: integer.orNull,
      bounced: integer.orNull,
    },
    {
      subscriber: index('subscriber_id, task_id'),
      // Few recipients bounce, so a send of millions writes hardly any of its entries.
      bounced: index('task_id, subscriber_id', 'bounced is not null'),
    },
  ),
  /** Links that a recipient of a task has clicked, each with the time of the first click. */
  task_click: tableWithKey(['task_id', 'subscriber_id', 'link_id'], {
    task_id: integer.to('task'),
    subscriber_id: integer,
    link_id: integer,
    time: integer,
  }),
  /** Addresses that a task in progress has sent to before the subscriber was deleted. They may come back with another id. */
  departed_recipient: tableWithKey(['task_id', 'address'], { task_id: integer.to('task'), address: text }),
  /** Addresses that a task has sent to, and whose subscriber was later deleted or got another address. */
  former_recipient: tableWithKey(['account_id', 'address', 'subscriber_id'], {
    account_id: accountId,
    address: text,
    subscriber_id: integer,
  }),
  /** Deliveries that no task made: single SMS, opt-in e-mails and the messages of rules. Others are in `task_recipient`. */
  delivery: table(
    {
      id,
      account_id: accountId,
      channel: oneOf<Channel | 'notification'>(),
      recipient: text,
      sender: text,
      subject: text.orNull,
      body: text,
      message_id: integer.orNull,
      subscriber_id: integer.orNull,
      time: integer,
      cause: oneOf<'task' | 'sms' | 'rule' | 'opt-in'>(),
      cause_id: integer.orNull,
      rule_kind: oneOf<RuleKind>().orNull,
    },
    {
      indexes: {
        account: index('account_id, time'),
        channel: index('account_id, channel, time'),
        recipient: index('account_id, lower(recipient), time'),
        rule: index('account_id, rule_kind, cause_id, time', 'rule_kind is not null'),
      },
    },
  ),
  /** SMS that people wrote to a destination of the account, whether or not a rule matched. */
  inbound_sms: table(
    { id, account_id: accountId, sender: text, destination: text, text, time: integer },
    { indexes: { sender: index('account_id, sender, time') } },
  ),
  /**
   * Messages that the outbox no longer shows: of each task, those up to the subscriber `last`, `count` of them. Task 0 has the last delivery
   * that no task made.
   */
  cleared: tableWithKey(['account_id', 'task_id'], {
    account_id: accountId,
    task_id: integer,
    last: integer,
    count: integer,
  }),
  /** Progress of the SMTP relay: for each task, the last subscriber whose message was relayed. Task 0 represents single deliveries. */
  relayed: tableWithKey(['task_id'], { task_id: integer, last: integer }),
  /** Planned reactions of recipients, each with its time. A row is deleted once it is done. */
  reaction: table(
    {
      id,
      account_id: accountId,
      task_id: integer.to('task'),
      subscriber_id: integer,
      kind: oneOf<RecipientReaction>(),
      /** Link that is clicked. Null for every other reaction. */
      link_id: integer.orNull,
      due: integer,
    },
    { indexes: { due: index('due, id'), account_due: index('account_id, due, id') } },
  ),
};
