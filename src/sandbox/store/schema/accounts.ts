/** Partners, companies and their users. */
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
} from './table.ts';

const partner = table({
  id,
  name: text,
  api_key: text,
  timezone: text,
});

/** Companies. The interface shows one row as two records: account and accountFeatures. */
const account = table({
  id,
  partner_id: integer.to('partner'),
  api_key: text,
  name: text,
  address: text.or(''),
  contactemail: text,
  country: text.or(''),
  folderrestrict: integer.or(0),
  goaltrackingdomain: text.or(''),
  telephone: text.orNull,
  timezone: text,
  website: text.orNull,
  emailcreditbalance: integer.or(0),
  inboxtestcreditbalance: integer.or(0),
  smscreditbalance: integer.or(0),
  automation_limit: integer.orNull,
  list_limit: integer.or(200),
  search_limit: integer.orNull,
  smsautomation_limit: integer.orNull,
  subscriber_limit: integer.orNull,
  subscriberprofileattribute_limit: integer.orNull,
  subscriberprofilefield_limit: integer.orNull,
  user_limit: integer.or(0),
  custommaildomaintype: text.orNull,
  enableanalyse: integer.or(0),
  enableaudienceinsights: integer.or(1),
  enablechangepassword: integer.or(1),
  enablecustommaildomain: integer.or(0),
  enabledkim: integer.or(1),
  enabledynamiccontent: integer.or(0),
  enableemail: integer.or(1),
  enableemailcredits: integer.or(1),
  enablesocialnetworka: integer.or(0),
  enablehttpapi: integer.or(1),
  enableinboxtest: integer.or(0),
  enablecrm: integer.or(1),
  enablesendbulkemail: integer.or(1),
  enablesendbulksms: integer.or(1),
  enablesms: integer.or(1),
  enablesplittest: integer.orNull.or(0),
  enablesubscriberprofilefields: integer.or(1),
  enablesubscriptionmo: integer.orNull.or(1),
  enabletimezonepremium: integer.or(0),
  enablesocialnetworkb: integer.or(0),
  enablecms: integer.or(0),
  locked: integer.or(0),
  maildomainprimary: text.orNull,
  cdate: decimal,
  mdate: decimal,
});

const user = table(
  {
    id,
    account_id: accountId,
    active: integer.or(1),
    email: text,
    firstname: text,
    lastname: text,
    isadmin: integer.or(0),
    lastlogon: integer.orNull,
    locked: integer.or(0),
    failed_logins: integer.or(0),
    logins: integer.or(0),
    msisdn: text.orNull,
    username: text,
    timezone: text,
    cdate: decimal,
    mdate: decimal,
    password_hash: text.orNull,
  },
  {
    unique: ['account_id', 'username'],
    indexes: {
      ...indexesForListing([], ['cdate']),
      admin: index('account_id', 'isadmin = 1'),
    },
  },
);

const sender_address = tableWithKey(
  ['account_id', 'email'],
  {
    account_id: accountId,
    email: text,
  },
  {
    lower: index('account_id, lower(email)'),
  },
);

const session_token = tableWithKey(
  ['hash'],
  {
    hash: text,
    account_id: accountId,
    user_id: integer.within('user'),
    /** Unix seconds of the machine's clock at which the session expires. */
    expires: integer,
  },
  {
    user: index('user_id'),
  },
);

export const accountTables = {
  partner,
  account,
  user,
  sender_address,
  session_token,
};
