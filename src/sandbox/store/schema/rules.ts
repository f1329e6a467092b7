/** Automation rules of all kinds, and their actions. */
import type { RuleKind } from '../../../service/resources/rule-kinds.ts';
import {
  accountId,
  decimal,
  type Indexes,
  id,
  index,
  indexesForListing,
  integer,
  logRowId,
  oneOf,
  table,
  text,
} from './table.ts';

/** Columns that click, open, subscription and date rules share. */
const timed = {
  actiononweekend: integer,
  actiontarget: text,
  actionhour: text.orNull,
  actiontimediff: integer,
  actiontype: text,
  name: text,
  paused: integer.or(0),
  summary: text.orNull,
  cdate: decimal,
  mdate: decimal,
};

const timedPages: Indexes = {
  ...indexesForListing(
    ['actiononweekend', 'name', 'paused', 'user_id'],
    ['actionhour', 'actiontimediff', 'name', 'cdate'],
  ),
  // Deleting a list pauses the rules whose action names it.
  target: index('account_id, actiontarget', "actiontype in ('addtolist', 'copytolist', 'movetolist')"),
};

export const ruleTables = {
  click_automation: table(
    {
      id,
      account_id: accountId,
      user_id: integer,
      link_id: integer.orNull,
      message_id: integer.orNull,
      ...timed,
    },
    {
      indexes: {
        ...timedPages,
        link: index('account_id, link_id', 'link_id is not null'),
        message: index('account_id, message_id', 'message_id is not null'),
      },
    },
  ),
  open_automation: table(
    { id, account_id: accountId, user_id: integer, message_id: integer, ...timed },
    { indexes: { ...timedPages, message: index('account_id, message_id') } },
  ),
  subscription_automation: table(
    { id, account_id: accountId, user_id: integer, list_id: integer, ...timed },
    { indexes: { ...timedPages, list: index('account_id, list_id') } },
  ),
  date_automation: table({ id, account_id: accountId, user_id: integer, ...timed }, { indexes: timedPages }),
  sms_automation: table(
    {
      id,
      account_id: accountId,
      user_id: integer,
      email_list_id: integer.orNull,
      keyword: text.orNull,
      list_id: integer,
      message_id: integer.orNull,
      message_actionhour: text.orNull,
      message_actiontimediff: integer.orNull,
      message_actiononweekend: integer.orNull,
      name: text,
      notifyemail: text.orNull,
      notifymsisdn: text.orNull,
      notifyurl: text.orNull,
      paused: integer.or(0),
      summary: text.orNull,
      cdate: decimal,
      mdate: decimal,
    },
    {
      indexes: {
        ...indexesForListing(['name', 'paused', 'user_id'], ['name', 'cdate']),
        email_list: index('account_id, email_list_id', 'email_list_id is not null'),
        keyword: index('account_id, lower(keyword)'),
        list: index('account_id, list_id'),
      },
    },
  ),
  /** Actions that rules have triggered and that are still to be done. */
  queued_action: table(
    {
      id,
      account_id: accountId,
      rule_kind: oneOf<RuleKind>(),
      rule_id: integer,
      subscriber_id: integer,
      due: integer,
      /** Triggering event as JSON. The e-mail that the action `notify` sends describes this event. */
      event: text,
    },
    {
      indexes: {
        account: index('account_id, due'),
        due: index('due, id'),
        of_rule: index('rule_kind, rule_id, due'),
      },
    },
  ),
  /** Changes that rules made to subscriptions, and actions that a rule skipped. Sent messages are in the table `delivery`. */
  rule_action: table(
    {
      id: logRowId,
      account_id: integer,
      rule_kind: oneOf<RuleKind>(),
      rule_id: integer,
      subscriber_id: integer.orNull,
      time: integer,
      /** Actiontype of an action that changed a list. Null if the action was skipped. */
      action: text.orNull,
      target: text.orNull,
      /** Reason why the action was skipped. */
      why: text.orNull,
    },
    {
      indexes: {
        rule: index('account_id, rule_kind, rule_id, id'),
        subscriber: index('account_id, subscriber_id, time', 'subscriber_id is not null'),
      },
    },
  ),
};
