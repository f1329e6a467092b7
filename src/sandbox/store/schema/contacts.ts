/** Subscribers, the lists that they are on, and what is known about them. */
import {
  accountId,
  decimal,
  id,
  index,
  indexesForListing,
  integer,
  table,
  tableWithKey,
  text,
  unique,
} from './table.ts';

export const contactTables = {
  folder: table(
    {
      id,
      account_id: accountId,
      name: text,
      cdate: decimal,
      mdate: decimal,
    },
    {
      indexes: indexesForListing(['name'], ['name', 'cdate']),
    },
  ),
  /** Folders that a restricted user sees. A user with rows here sees only these folders and their contents. */
  folder_access: tableWithKey(
    ['user_id', 'folder_id'],
    {
      user_id: integer.within('user'),
      folder_id: integer.within('folder'),
    },
    {
      folder: index('folder_id'),
    },
  ),
  list: table(
    {
      id,
      account_id: accountId,
      folder_id: integer.orNull.to('folder'),
      name: text,
      permanent: integer.or(0),
      cdate: decimal,
      note: text.orNull,
      optin: integer.or(0),
      smsdefault: integer.or(0),
      /** Time of the last change. Null until the list is changed. */
      changed: integer.orNull,
    },
    {
      indexes: {
        account: index('account_id'),
        folder: index('folder_id'),
        smsdefault: index('account_id, smsdefault'),
      },
    },
  ),
  subscriber: table(
    {
      id,
      account_id: accountId,
      email: text.orNull,
      email_domain: text.orNull,
      msisdn: text.orNull,
      emailsuspended: integer.or(0),
      smssuspended: integer.or(0),
      cdate: decimal,
      confirmed: integer.or(1),
      changed: integer.orNull,
      firstname: text.orNull,
      lastname: text.orNull,
      title: text.orNull,
      companyname: text.orNull,
      gender: text.orNull,
      housenumber: text.orNull,
      streetname: text.orNull,
      town: text.orNull,
      county: text.orNull,
      postcode: text.orNull,
      country: text.orNull,
      daybirth: integer.orNull,
      monthbirth: integer.orNull,
      yearbirth: integer.orNull,
    },
    {
      indexes: {
        account: index('account_id'),
        domain: index('account_id, email_domain'),
        email: unique('account_id, email', 'email is not null'),
        emailsuspended: index('account_id', 'emailsuspended = 1'),
        msisdn: unique('account_id, msisdn', 'msisdn is not null'),
        smssuspended: index('account_id', 'smssuspended = 1'),
      },
    },
  ),
  subscription: table(
    {
      id,
      list_id: integer.within('list'),
      subscriber_id: integer.within('subscriber'),
      cdate: decimal,
      confirmed: integer.or(1),
      confirmationredirect: text.orNull,
      source: text.orNull,
      changed: integer.orNull,
    },
    {
      unique: ['list_id', 'subscriber_id'],
      indexes: {
        subscriber: index('subscriber_id, list_id'),
      },
    },
  ),
  profile_field: table(
    {
      id,
      account_id: accountId,
      name: text,
      columnheader: text.orNull,
      type: text.or('text'),
      cdate: decimal.or(0),
      changed: integer.orNull,
      goaltracking: integer.or(0),
    },
    {
      unique: ['account_id', 'name'],
      indexes: {
        account: index('account_id'),
      },
    },
  ),
  profile_data: tableWithKey(
    ['field_id', 'subscriber_id'],
    {
      field_id: integer.within('profile_field'),
      subscriber_id: integer.within('subscriber'),
      account_id: accountId,
      value: text,
    },
    {
      subscriber: index('subscriber_id'),
    },
  ),
  search: table(
    {
      id,
      account_id: accountId,
      name: text,
      field_id: integer.to('profile_field'),
      equals: text,
      cdate: decimal,
    },
    {
      indexes: {
        account: index('account_id'),
      },
    },
  ),
  form: table(
    {
      id,
      account_id: accountId,
      gacode: text.or(''),
      name: text,
      suppressoptin: integer.or(0),
      user_id: integer,
      cdate: decimal,
      mdate: decimal,
    },
    {
      indexes: indexesForListing(['name', 'user_id'], ['name', 'cdate']),
    },
  ),
  do_not_contact: table(
    {
      id,
      account_id: accountId,
      contactdata: text,
      cdate: decimal,
    },
    {
      unique: ['account_id', 'contactdata'],
      indexes: indexesForListing([], ['cdate']),
    },
  ),
};
