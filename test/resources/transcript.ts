/**
 * The tables of the interface's "Resources and their fields", and the text of "Endpoints" about each method, copied by hand in the
 * document's own words. No text here comes from `src/service/resources`, because the catalogue is compared with it.
 *
 * A line of `fields` is a row: name | type | F | S | words on defaults and bounds.
 */
export interface Transcript {
  readonly fields: string;
  /** Additional parameters of GET. */
  readonly GET?: string;
  /** The attributes that HEAD takes; absent if it is unsupported. */
  readonly HEAD?: string;
  readonly POST?: Presence;
  readonly PUT?: Presence;
  /** The attributes that name the records to delete; absent if it is unsupported. */
  readonly DELETE?: string;
  /** True if GET and HEAD need at least one of their attributes. */
  readonly atLeastOne?: true;
  /** "the two are mutually exclusive" */
  readonly exclusive?: true;
  /** "announced as coming soon" */
  readonly announced?: string;
}

interface Presence {
  readonly required?: string;
  readonly optional?: string;
  /** "partner-auth additionally: optional" */
  readonly partner?: string;
  readonly only?: 'partner';
}

export const transcript: Readonly<Record<string, Transcript>> = {
  account: {
    fields: `
      id | int
      address | string
      automation_limit | int/null |  |  | default null
      blacklist_count | int/null
      contactemail | string
      country | string
      emailcreditbalance | int
      emailsuspended_count | int/null
      folder_count | int
      folderrestrict | bool |  |  | deprecated
      goaltrackingdomain | string
      inboxtestcreditbalance | int
      list_count | int
      list_limit | int |  |  | default 200
      name | string
      search_limit | int/null |  |  | default null
      smsautomation_limit | int/null |  |  | default null
      smscreditbalance | int
      subscriber_count | int/null
      subscriber_limit | int/null |  |  | default null; minimum 1
      subscriberprofileattribute_limit | int/null |  |  | default null
      smssuspended_count | int/null
      telephone | string/null
      timezone | string
      user_count | int
      user_limit | int |  |  | default 0
      website | string/null |  |  | default null
      cdate | decimal
      mdate | decimal`,
    HEAD: '',
    POST: { only: 'partner' },
  },
  accountFeatures: {
    fields: `
      id | int
      automation_limit | int/null |  |  | default null
      contactemail | string
      custommaildomaintype | string/null |  |  | default fixed_email
      enableanalyse | bool |  |  | default false
      enableaudienceinsights | bool |  |  | default true
      enablechangepassword | bool |  |  | default true
      enablecustommaildomain | bool |  |  | default false
      enabledkim | bool |  |  | default true
      enabledynamiccontent | bool |  |  | default false
      enableemail | bool |  |  | default true
      enableemailcredits | bool |  |  | default true
      enablesocialnetworka | bool |  |  | default false
      enablehttpapi | bool |  |  | default true
      enableinboxtest | bool |  |  | default false
      enablecrm | bool |  |  | default true
      enablesendbulkemail | bool |  |  | default true
      enablesendbulksms | bool |  |  | default true
      enablesms | bool |  |  | default true
      enablesplittest | bool/null |  |  | default false
      enablesubscriberprofilefields | bool |  |  | default true
      enablesubscriptionmo | bool/null |  |  | default true
      enabletimezonepremium | bool |  |  | default false
      enablesocialnetworkb | bool |  |  | default false
      enablecms | bool |  |  | default false
      list_limit | int |  |  | default 200
      locked | bool
      maildomainprimary | string/null
      search_limit | int/null |  |  | default null
      smsautomation_limit | int/null |  |  | default null
      subscriber_limit | int/null |  |  | default null; minimum 1
      subscriberprofilefield_limit | int/null |  |  | default null
      timezone | string
      user_limit | int
      cdate | decimal
      mdate | decimal`,
    PUT: {
      required: 'id',
      optional: 'every other field of the table',
    },
  },
  user: {
    fields: `
      id | int | Y | Y
      active | bool
      currentuser | bool | Y
      email | string
      firstname | string
      isadmin | bool |  |  | default false
      lastlogon | int/null
      locked | bool
      logins | int
      msisdn | string/null
      password | string/null |  |  | write-only
      lastname | string
      username | string | Y
      timezone | string
      cdate | decimal |  | Y
      mdate | decimal`,
    HEAD: 'id, currentuser, username',
    POST: {
      required: 'email, firstname, lastname, username, password (string/null)',
      optional: 'active, msisdn',
      partner: 'isadmin',
    },
    PUT: { required: 'id', optional: 'active, email, firstname, lastname, msisdn, password, username' },
    DELETE: 'id',
  },
  sms: {
    fields: `
      id | int | Y | Y
      msisdn | string | Y
      dispatched | bool
      failed | bool
      fromaddress | string | Y
      message | string
      senddate | decimal/null
      user_id | int | Y
      cdate | decimal |  | Y
      mdate | decimal`,
    HEAD: 'id, msisdn, fromaddress, user_id',
    POST: { required: 'msisdn, fromaddress, message', optional: 'senddate (decimal/null)' },
  },
  smsMessage: {
    fields: `
      id | int | Y | Y
      editable | int | Y
      fromname | string
      message | string
      name | string | Y | Y
      subinfo | bool |  |  | default false
      used | bool | Y
      cdate | decimal |  | Y
      mdate | decimal`,
    HEAD: 'id, editable, name, used',
    POST: { required: 'fromname, message, name', optional: 'subinfo' },
    PUT: { required: 'id', optional: 'fromname, message, name, subinfo' },
    DELETE: 'id',
  },
  emailMessage: {
    fields: `
      id | int | Y | Y
      customoptin | bool | Y |  | default false
      defaultoptin | bool
      editable | bool | Y
      editor | int
      fromemail | string/null |  |  | default null
      fromname | string
      galinkdata | bool |  |  | default false
      html | string
      name | string | Y | Y
      replyemail | string
      friendlink | bool |  |  | default false
      subject | string
      text | string
      tracktextlinks | bool/null |  |  | write-only; default false
      used | bool | Y
      cdate | decimal |  | Y
      mdate | decimal`,
    HEAD: 'id, customoptin, editable, name, used',
    POST: {
      required: 'fromemail (string/null), fromname, html, name, replyemail, subject, text',
      optional: 'customoptin, editor, galinkdata, friendlink, tracktextlinks',
    },
    PUT: { required: 'id', optional: 'all other fields' },
    DELETE: 'id',
  },
  emailMessageLink: {
    fields: `
      id | int | Y | Y
      message_id | int | Y
      name | string/null
      target | string
      task_id | int | Y
      type | enum | Y
      cdate | decimal |  | Y`,
    HEAD: 'id, message_id, task_id, type',
  },
  task: {
    fields: `
      id | int | Y | Y
      cancelled | bool | Y
      channel | enum | Y
      completed | bool | Y
      emailuniquebounces | int/null
      emailuniqueclicks | int/null
      emailuniqueopens | int/null
      emailuniqueunsubscriptions | int/null
      emailuniquecomplaints | int/null
      smsuniquebounces | int/null
      endtime | decimal/null |  | Y
      list_id | int/null | Y
      message_id | int | Y
      name | string | Y | Y
      rate | int/null
      scheduledtime | decimal |  | Y
      search_id | int/null |  |  | default null
      size | int
      splittest_id | int/null
      cdate | decimal |  | Y`,
    HEAD: 'id, cancelled, channel, completed, list_id, message_id, name',
    POST: {
      required: 'channel, message_id, name, scheduledtime, list_id (int/null), search_id (int/null)',
      optional: 'rate',
    },
    PUT: { required: 'id', optional: 'cancelled, list_id, name, scheduledtime, search_id' },
  },
  folder: {
    fields: `
      id | int | Y | Y
      list_count | int
      name | string | Y | Y
      subscription_count | int
      cdate | decimal |  | Y
      mdate | decimal`,
    HEAD: 'id, name',
    POST: { required: 'name' },
    PUT: { required: 'id', optional: 'name' },
    DELETE: 'id',
  },
  doNotContact: {
    fields: `
      id | int | Y | Y
      contactdata | string | Y | Y
      cdate | decimal |  | Y`,
    HEAD: 'id, contactdata',
    POST: { required: 'contactdata' },
    DELETE: 'id, contactdata',
    exclusive: true,
  },
  form: {
    fields: `
      id | int | Y | Y
      gacode | string
      name | string | Y | Y
      suppressoptin | int
      user_id | int
      cdate | decimal |  | Y
      mdate | decimal`,
    HEAD: 'id, name',
    DELETE: 'id',
    announced: 'POST, PUT',
  },
  subscriberProfileData: {
    fields: `
      id | string | Y
      subscriber_id | int | Y | Y
      subscriberprofilefield_id | int | Y | Y
      value | string`,
    GET: 'at least one of id, subscriber_id, subscriberprofilefield_id',
    HEAD: 'id, subscriber_id, subscriberprofilefield_id',
    atLeastOne: true,
    POST: { required: 'subscriber_id, subscriberprofilefield_id, value' },
    PUT: { required: 'value', optional: 'id, subscriber_id, subscriberprofilefield_id' },
    DELETE: 'id, subscriber_id, subscriberprofilefield_id',
  },
  smsDestination: {
    fields: `
      id | int | Y | Y
      keyword | string/null
      destination | string
      isshortcode | boolean | Y | Y
      mdate | decimal/null`,
    HEAD: 'id, isshortcode',
    PUT: { required: 'id', optional: 'keyword (string/null)' },
  },
  smsAutomation: {
    fields: `
      id | int | Y | Y
      email_list_id | int/null
      keyword | string/null
      list_id | int
      message_id | int/null
      message_actionhour | string/null
      message_actiontimediff | int/null
      message_actiononweekend | bool/null |  |  | default null
      name | string | Y | Y
      notifyemail | string/null
      notifymsisdn | string/null
      notifyurl | string/null
      paused | bool | Y
      summary | string/null
      user_id | int | Y
      cdate | decimal |  | Y
      mdate | decimal`,
    HEAD: 'id, name, paused, user_id',
    POST: {
      required: 'keyword (string/null), list_id, name, summary',
      optional:
        'email_list_id, message_id, message_actionhour, message_actiontimediff, message_actiononweekend, notifyemail, notifymsisdn, notifyurl, paused',
    },
    PUT: { required: 'id', optional: 'all other attributes' },
    DELETE: 'id',
  },
};

/** Fields shared by clickAutomation, openAutomation, subscriptionAutomation and dateAutomation. */
export const automationRules: Transcript = {
  fields: `
    id | int | Y | Y
    actiononweekend | bool | Y
    actiontarget | string
    actionhour | string/null |  | Y
    actiontimediff | int |  | Y
    actiontype | enum
    name | string | Y | Y
    paused | bool | Y
    summary | string/null
    user_id | int | Y
    cdate | decimal |  | Y
    mdate | decimal`,
  HEAD: 'id, actiononweekend, name, paused, user_id',
  POST: {
    required: 'actiontarget, actiontype, name, summary (string/null)',
    optional: 'actiononweekend, actionhour (string/null), actiontimediff, paused',
  },
  PUT: { required: 'id', optional: 'all other attributes of the kind' },
  DELETE: 'id',
};

/** "Per-kind differences", and "Plus per kind" of POST. */
export const automationKinds = {
  clickAutomation: {
    fields: `
      link_id | int/null
      message_id | int/null`,
    required: 'link_id, message_id',
    actiontype: 'addtolist, email_autoresponder, notify, sms_autoresponder',
    unit: 'seconds',
  },
  openAutomation: {
    fields: `
      message_id | int`,
    required: 'message_id',
    actiontype: 'addtolist, email_autoresponder, notify, sms_autoresponder',
    unit: 'seconds',
  },
  subscriptionAutomation: {
    fields: `
      list_id | int`,
    required: 'list_id',
    actiontype: 'copytolist, email_autoresponder, movetolist, notify, removefromlist, sms_autoresponder',
    unit: 'minutes',
  },
  dateAutomation: {
    fields: '',
    required: '',
    actiontype: 'addtolist, email_autoresponder, notify, sms_autoresponder',
    unit: 'seconds',
  },
} as const;

/** Differences of the catalogue from the tables, with their reasons. */
export const departures = {
  /** wire, "form filter user_id": the overview says so, its table has no F. */
  filters: { form: ['user_id'] },
  /** wire, "Authentication, where open": the payload of a partner's POST is not shown; the writable fields of the table. */
  accountPost: {
    required: ['name', 'contactemail'],
    optional: [
      'address',
      'automation_limit',
      'country',
      'folderrestrict',
      'goaltrackingdomain',
      'list_limit',
      'search_limit',
      'smsautomation_limit',
      'subscriber_limit',
      'subscriberprofileattribute_limit',
      'telephone',
      'timezone',
      'user_limit',
      'website',
    ],
  },
  /** "The sample response also carries" them; they "are not in the field table". */
  sampleOnly: { account: { custommaildomain: 'bool', subscriberprofilefield_limit: 'int/null' } },
  /** Types that the tables write as int or string and whose Meaning lists the values. */
  enums: {
    emailMessage: { editor: [1, 2, 3, 4] },
    accountFeatures: { custommaildomaintype: ['fixed_email', 'domain'] },
  },
  /** Types that the tables write as `enum`; the values are in the column Meaning. */
  values: {
    emailMessageLink: { type: ['html', 'text'] },
    task: { channel: ['email', 'sms'] },
  },
  /** Bounds that the tables leave out: a rate of 0 an hour would never send. */
  bounds: { task: { rate: 'minimum 1' } },
  /** Fields that a PUT could name by "all other" and that only the service sets, as their Meaning says. */
  readOnly: {
    accountFeatures: ['cdate', 'mdate'],
    emailMessage: ['defaultoptin', 'editable', 'used', 'cdate', 'mdate'],
    smsAutomation: ['user_id', 'cdate', 'mdate'],
    clickAutomation: ['user_id', 'cdate', 'mdate'],
    openAutomation: ['user_id', 'cdate', 'mdate'],
    subscriptionAutomation: ['user_id', 'cdate', 'mdate'],
    dateAutomation: ['user_id', 'cdate', 'mdate'],
  },
} as const;
