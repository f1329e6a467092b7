import {
  bool,
  creationTime,
  filterable,
  filterableAndSortable,
  id,
  int,
  lastChangeTime,
  orNull,
  string,
} from '../../kit/schema/field.ts';
import { defineResource } from '../../kit/schema/resource.ts';
import { allowedOnlyIfSet } from '../../kit/schema/rules.ts';
import { weekendRule, wholeDayRule } from './automation.ts';

const SECTION = 'Endpoints, smsAutomation rules';

const REQUIRED = ['keyword', 'list_id', 'name', 'summary'] as const;
const OPTIONAL = [
  'email_list_id',
  'message_id',
  'message_actionhour',
  'message_actiontimediff',
  'message_actiononweekend',
  'notifyemail',
  'notifymsisdn',
  'notifyurl',
  'paused',
] as const;

/** Declares the resource `smsAutomation`, a rule that an incoming SMS triggers (interface, "smsAutomation (rule for inbound SMS, MO)"). */
export const smsAutomation = defineResource({
  name: 'smsAutomation',
  noun: 'automation',
  variant: 'sms',
  describe: 'Acts when an SMS arrives',
  singular: 'a rule of kind sms',
  plural: 'rules of kind sms',
  fields: {
    id: id('Rule id'),
    email_list_id: orNull(
      int('List to which the rule adds an e-mail address that the SMS contains', {
        refersTo: 'list',
        flag: 'email-list',
      }),
    ),
    keyword: orNull(
      string(
        'Word in the SMS that triggers the rule; with null, any SMS that triggers no other rule triggers this rule',
        { format: 'sub-keyword' },
      ),
    ),
    list_id: int("List that the sender's number is added to", { refersTo: 'list', flag: 'list' }),
    message_id: orNull(
      int('SMS message to reply with', { refersTo: 'smsMessage', byName: true, flag: 'message' }),
    ),
    message_actionhour: orNull(
      string("Hour at which the rule replies (company's time zone)", { format: 'actionhour' }),
    ),
    message_actiontimediff: orNull(int('Delay of the SMS reply, in seconds', { unit: 'seconds', min: 0 })),
    message_actiononweekend: orNull(bool('The rule also replies to the SMS at weekends', { default: null })),
    name: string('Name of the rule', filterableAndSortable),
    notifyemail: orNull(
      string('E-mail address that receives a copy of each inbound SMS', { format: 'email' }),
    ),
    notifymsisdn: orNull(string('Phone number to forward inbound SMS to', { format: 'msisdn' })),
    notifyurl: orNull(string('URL that receives a GET for each inbound SMS', { format: 'url' })),
    paused: bool('The rule is paused (events do not trigger it)', filterable),
    summary: orNull(string('Description of the rule, in English')),
    user_id: int('User who created the rule', { ...filterable, refersTo: 'user', byName: true }),
    cdate: creationTime(),
    mdate: lastChangeTime(),
  },
  methods: {
    get: {},
    head: { attributes: ['id', 'name', 'paused', 'user_id'] },
    post: { required: REQUIRED, optional: OPTIONAL },
    put: { optional: [...REQUIRED, ...OPTIONAL] },
    delete: { by: ['id'] },
  },
  rules: [
    ...allowedOnlyIfSet(SECTION, 'message_id', [
      'message_actionhour',
      'message_actiontimediff',
      'message_actiononweekend',
    ]),
    wholeDayRule(SECTION, 'message_actionhour', 'message_actiontimediff'),
    weekendRule(SECTION, 'message_actiononweekend', 'message_actionhour', 'message_actiontimediff'),
  ],
  calledBy: 'name',
  identifiedBy: ['name', 'keyword', 'list_id'],
  inDoubt: 'note-first',
  columns: ['id', 'name', 'paused', 'keyword', 'list_id', 'message_id', 'email_list_id'],
});
