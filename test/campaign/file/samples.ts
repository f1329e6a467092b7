/** Valid and invalid campaign files for the reader and the JSON Schema. Contract, "Campaigns as files". */

/** The existing content files: their names relative to the campaign file. */
export const CONTENTS: Readonly<Record<string, string>> = {
  'c/mail.html': '<p>Hello</p>\n',
  'c/mail.txt': 'Hello\n',
  'c/sms.txt': 'Hello\n',
  'c/snow.html': '<p>\n☃</p>\n',
  'c/long.txt': `${'Hello, you. '.repeat(60)}\n`,
};

export const ENVIRONMENT: Readonly<Record<string, string>> = {
  BUILD: '17',
  EMPTY: '',
  SVC_API_KEY: 'secret-of-the-tests',
  YAML: 'x\nversion: 2\ntasks: {a: b}',
};
export const SET: ReadonlyMap<string, string> = new Map([
  ['n', '500'],
  ['day', '2027-03-20'],
  ['on', 'true'],
  ['list-id', '7'],
  ['every', 'week'],
  ['few', '5'],
]);

/** Returns a variable, which a YAML writer would quote: `${{ name }}`. */
export const variable = (name: string): string => `\${{ ${name} }}`;

const HEAD = 'version: 1\ncampaign: Sale\n';
export const MAIL = `    channel: email
    name: Mail
    from: news@shop.example
    from-name: Shop
    reply-to: shop@shop.example
    subject: Sale
    html: c/mail.html
    text: c/mail.txt
`;
export const TEXT = `    channel: sms
    name: Text
    from: Shop
    message: c/sms.txt
`;
/** Returns ten lines, with a message under `mail` whose attributes begin in line 5, and then the sections of the sample. */
const withMail = (rest: string): string => `${HEAD}messages:\n  mail:\n${MAIL}${rest}`;
/** Returns seven lines with an SMS under `text`, and then the sample. */
const withText = (rest: string): string => `${HEAD}messages:\n  text:\n${TEXT}${rest}`;
/** Returns a message in flow style on one line, so that the attributes of the sample begin in line 5. */
const message = (attributes: string): string => `${HEAD}messages:\n  m:\n${attributes}`;
/** Returns a task whose attributes also begin in line 5. */
export const taskOf = (attributes: string): string => `${HEAD}tasks:\n  t:\n${attributes}`;
export const ruleOf = (attributes: string): string => `${HEAD}automations:\n  r:\n${attributes}`;
const TASK = '    name: Task\n    message: 12\n    list: 7\n    at: 2027-03-20 09:00\n';

export const ACCEPTED: readonly (readonly [title: string, yaml: string])[] = [
  ['nothing but its head', HEAD],
  ['a company', `${HEAD}company: 12\n`],
  ['a company as a variable', `${HEAD}company: ${variable('n')}\n`],
  ['sections without items', `${HEAD}folders:\nmessages: {}\ntasks: null\n`],
  ['JSON', '{"version": 1, "campaign": "Sale", "folders": {"a": {"name": "News"}}}'],
  ['a folder', `${HEAD}folders:\n  a: {name: "${'x'.repeat(18)}"}\n`],
  ['an e-mail message', withMail('')],
  [
    "the interface's own names",
    message(
      MAIL.replace('from:', 'fromemail:').replace('from-name', 'fromname').replace('reply-to', 'replyemail'),
    ),
  ],
  ['a sender that is null', message(MAIL.replace('news@shop.example', 'null'))],
  ['no sender', message(MAIL.replace(/ {4}from:.*\n/, ''))],
  ['more attributes', message(`${MAIL}    galinkdata: true\n    tracktextlinks: null\n    editor: 1\n`)],
  ['a number as text', message(`${MAIL}`.replace('name: Mail', 'name: 2027'))],
  ['an SMS message', withText('')],
  ['a sender that is a number', message(TEXT.replace('Shop', '447700900123'))],
  ['the content by its flag', message(TEXT.replace('message:', 'text:'))],
  ['a boolean as a variable', message(`${TEXT}    subinfo: ${variable('on')}\n`)],
  ['a task', taskOf(TASK)],
  ['a task with a search', taskOf(TASK.replace('list: 7', 'search: 3'))],
  ['a list that is null beside a search', taskOf(TASK.replace('list: 7', 'list: null\n    search: 3'))],
  ['ids in quotes', taskOf(TASK.replace('12', '"12"').replace('7', '"7"'))],
  ['an id that no double holds', taskOf(TASK.replace('list: 7', 'list: 90071992547409931'))],
  ['an id as a variable', taskOf(TASK.replace('list: 7', `list: ${variable('list-id')}`))],
  ['a message by its key', withMail(`tasks:\n  t:\n${TASK.replace('12', 'mail')}`)],
  ['a message by its name, with its channel', taskOf(`${TASK.replace('12', 'Old mail')}    channel: sms\n`)],
  [
    'limits',
    taskOf(`${TASK}    rate: 500\n    expect-size: 9000..11000\n    max-credits: 0\n    hold: 30m\n`),
  ],
  ['a size', taskOf(`${TASK}    expect-size: 447\n`)],
  [
    'limits as variables',
    taskOf(`${TASK}    rate: ${variable('n')}\n    expect-size: 1..${variable('n')}\n`),
  ],
  ['limits that are null', taskOf(`${TASK}    rate:\n    expect-size:\n    max-credits:\n    hold:\n`)],
  ['Unix seconds', taskOf(TASK.replace('2027-03-20 09:00', '1800000000'))],
  ['a time with an offset', taskOf(TASK.replace('2027-03-20 09:00', '2027-03-20T09:00:00+01:00'))],
  ['a weekday', taskOf(TASK.replace('2027-03-20 09:00', 'monday 9:00'))],
  ['a time from now', taskOf(TASK.replace('2027-03-20 09:00', '+2d'))],
  ['a time with a variable', taskOf(TASK.replace('2027-03-20', variable('day')))],
  [
    'a click rule',
    ruleOf(
      '    kind: click\n    name: R\n    link: 3\n    actiontype: addtolist\n    actiontarget: 7\n    after: 1h30m\n    actiononweekend: false\n',
    ),
  ],
  [
    'an open rule',
    withMail(
      'automations:\n  r: {kind: open, name: R, message: mail, actiontype: notify, actiontarget: a@shop.example, paused: true}\n',
    ),
  ],
  [
    'a subscription rule',
    ruleOf(
      '    kind: subscription\n    name: R\n    list: 7\n    actiontype: removefromlist\n    actiontarget: 0\n    after: 2d\n    actiononweekend: true\n',
    ),
  ],
  [
    'a date rule',
    withMail(
      'automations:\n  r: {kind: date, name: R, actiontype: email_autoresponder, actiontarget: mail, before: 1d, actionhour: 09:00:00, actiononweekend: true, summary: Before}\n',
    ),
  ],
  [
    'an sms rule',
    withText(
      'automations:\n  r: {kind: sms, name: R, keyword: null, list: 7, email-list: 8, message: text, after: 0s, notifymsisdn: +447700900123}\n',
    ),
  ],
  ['an alias', `${HEAD}folders:\n  a: &a {name: News}\n  b: *a\n`],
  ['what looks like a variable', `${HEAD}folders:\n  a: {name: "$${variable('x')}"}\n`],
];

export interface Refused {
  readonly title: string;
  readonly yaml: string;
  /** `line:column`, and a text that the message must contain. */
  readonly faults: readonly (readonly [place: string, says: string])[];
  /**
   * Set if only the reader can find the fault. A schema does not see the YAML text, octets or variables. It sees one value at a time,
   * without the files and items that the value names.
   */
  readonly beyond?: 'yaml' | 'value';
}

export const REFUSED: readonly Refused[] = [
  // YAML
  { title: 'nothing', yaml: '', faults: [['1:1', 'mapping']] },
  { title: 'a list', yaml: '- version: 1\n', faults: [['1:1', 'mapping']] },
  {
    title: 'a file with tests',
    yaml: 'version: 1\ncampaign: spring.yaml\naccount: demo\ntests:\n  none:\n    - list 9 receives nothing\n',
    faults: [['4:1', 'svc test runs it']],
  },
  { title: 'no YAML', yaml: `${HEAD}folders: {a: [}\n`, faults: [['3:15', 'invalid YAML']], beyond: 'yaml' },
  {
    title: 'tabs',
    yaml: `${HEAD}folders:\n\ta: {name: News}\n`,
    faults: [['4:1', 'indent with spaces']],
    beyond: 'yaml',
  },
  {
    title: 'two documents',
    yaml: `${HEAD}---\nversion: 1\n`,
    faults: [['3:1', 'second YAML document']],
    beyond: 'yaml',
  },
  {
    title: 'another YAML',
    yaml: `%YAML 1.1\n---\n${HEAD}`,
    faults: [['1:1', 'must be YAML 1.2']],
    beyond: 'yaml',
  },
  {
    title: 'a key twice',
    yaml: `${HEAD}folders:\n  a: {name: News}\n  a: {name: Other}\n`,
    faults: [['5:3', 'line 4']],
    beyond: 'yaml',
  },
  {
    title: 'an attribute twice',
    yaml: message(`${MAIL}    subject: Other\n`),
    faults: [['13:5', 'subject appears twice']],
    beyond: 'yaml',
  },
  {
    title: 'a tag',
    yaml: `${HEAD}folders:\n  a: {name: !!str 12}\n`,
    faults: [['4:19', 'tags (!!str)']],
    beyond: 'yaml',
  },
  {
    title: 'a tag of a program',
    yaml: `${HEAD}folders: !!js/function\n  a: {name: News}\n`,
    faults: [['3:10', 'invalid YAML']],
    beyond: 'yaml',
  },
  {
    title: 'a merge key',
    yaml: `${HEAD}folders:\n  a: &a {name: News}\n  b: {<<: *a}\n`,
    faults: [
      ['5:3', 'name is required'],
      ['5:7', 'merge keys'],
    ],
  },
  {
    title: 'an alias of nothing',
    yaml: `${HEAD}folders:\n  a: *b\n`,
    faults: [['4:6', '&b']],
    beyond: 'yaml',
  },
  {
    title: 'a variable between brackets',
    yaml: `${HEAD}folders: {a: {name: ${variable('n')}}}\n`,
    faults: [['3:22', 'in quotes']],
    beyond: 'yaml',
  },
  // The head
  { title: 'no version', yaml: 'campaign: Sale\n', faults: [['1:1', 'version is required']] },
  {
    title: 'a version to come',
    yaml: 'version: 2\nnews: 1\n',
    faults: [['1:10', 'the file was written by a newer svc (version 2']],
  },
  {
    title: 'a quote without an end, where it begins',
    yaml: 'version: 1\ncampaign: "Sale\nfolders:\n  a: {name: A}\n',
    faults: [['2:11', 'the quote that begins here is never closed']],
    beyond: 'yaml',
  },
  {
    title: 'a version in quotes',
    yaml: 'version: "1"\ncampaign: Sale\n',
    faults: [['1:10', 'the number 1']],
  },
  { title: 'no campaign', yaml: 'version: 1\n', faults: [['1:1', 'the name of the campaign is missing']] },
  { title: 'an empty campaign', yaml: 'version: 1\ncampaign: ""\n', faults: [['2:11', 'is empty']] },
  { title: 'a campaign of lines', yaml: 'version: 1\ncampaign: "a\\nb"\n', faults: [['2:11', 'one line']] },
  {
    title: 'a company by name',
    yaml: `${HEAD}company: Shop\n`,
    faults: [['3:10', 'id of a company, not "Shop"']],
  },
  { title: 'a company of 0', yaml: `${HEAD}company: 0\n`, faults: [['3:10', 'id of a company']] },
  { title: 'a section misspelt', yaml: `${HEAD}mesages: {}\n`, faults: [['3:1', 'did you mean messages?']] },
  {
    title: 'a section that is a list',
    yaml: `${HEAD}tasks:\n  - name: x\n`,
    faults: [['4:3', 'must contain one entry for each']],
  },
  // Keys
  {
    title: 'a key that looks like an id',
    yaml: `${HEAD}folders:\n  12: {name: News}\n`,
    faults: [['4:3', 'like an id']],
  },
  {
    title: 'and in quotes',
    yaml: `${HEAD}folders:\n  "12": {name: News}\n`,
    faults: [['4:3', 'like an id']],
  },
  {
    title: 'a key in capitals',
    yaml: `${HEAD}folders:\n  News: {name: News}\n`,
    faults: [['4:3', 'lower-case letters']],
  },
  {
    title: 'a key of 41 letters',
    yaml: `${HEAD}folders:\n  ${'a'.repeat(41)}: {name: N}\n`,
    faults: [['4:3', '1 to 40']],
  },
  {
    title: 'a key that YAML reads otherwise',
    yaml: `${HEAD}folders:\n  true: {name: News}\n`,
    faults: [['4:3', 'put the key in quotes']],
    beyond: 'yaml',
  },
  {
    title: 'an item without attributes',
    yaml: `${HEAD}folders:\n  a:\n`,
    faults: [['4:5', 'must contain its attributes']],
  },
  // Variables
  {
    title: 'a variable without a value',
    yaml: `${HEAD}folders:\n  a:\n    name: Sale ${variable('nosuch')}\n`,
    faults: [['5:16', '--set nosuch=']],
    beyond: 'value',
  },
  {
    title: 'one of the environment',
    yaml: `${HEAD}folders:\n  a:\n    name: "${variable('env.NOSUCH')}"\n`,
    faults: [
      ['5:12', 'the variable env.NOSUCH has no value; to read it from the environment, add --env NOSUCH'],
    ],
    beyond: 'value',
  },
  {
    title: 'what every object has',
    yaml: `${HEAD}folders:\n  a:\n    name: ${variable('env.constructor')}\n`,
    faults: [['5:11', 'env.constructor has no value']],
    beyond: 'value',
  },
  {
    title: 'a key of the service',
    yaml: `${HEAD}folders:\n  a:\n    name: ${variable('env.SVC_API_KEY')}\n`,
    faults: [['5:11', 'SVC_API_KEY is an API key']],
    beyond: 'value',
  },
  {
    title: 'no variable',
    yaml: `${HEAD}folders:\n  a:\n    name: ${variable('a b')}\n`,
    faults: [['5:11', 'is not a variable']],
    beyond: 'value',
  },
  {
    title: 'one that is not closed',
    yaml: `${HEAD}folders:\n  a:\n    name: ${variable('n')} \${{ n\n`,
    faults: [['5:20', 'no }}']],
    beyond: 'value',
  },
  {
    title: 'an empty one for a number',
    yaml: taskOf(`${TASK}    rate: ${variable('env.EMPTY')}\n`),
    faults: [['9:11', 'rate is empty']],
    beyond: 'value',
  },
  {
    title: 'an empty one for a list',
    yaml: taskOf(TASK.replace('list: 7', `list: ${variable('env.EMPTY')}`)),
    faults: [['7:11', 'list is empty']],
    beyond: 'value',
  },
  {
    title: 'a word for a number',
    yaml: taskOf(`${TASK}    rate: ${variable('day')}\n`),
    faults: [['9:11', 'rate must be a whole number, not "2027-03-20"']],
    beyond: 'value',
  },
  {
    title: 'a channel as a variable',
    yaml: message(TEXT.replace('channel: sms', `channel: ${variable('n')}`)),
    faults: [['5:14', 'email or sms, not a variable']],
  },
  // Folders
  {
    title: 'a folder whose name leaves no room for its mark',
    yaml: `${HEAD}folders:\n  a: {name: "${'ä'.repeat(11)}"}\n`,
    faults: [['4:13', 'name has 22 bytes; the maximum is 18']],
    beyond: 'value',
  },
  {
    title: 'a folder of 41 octets',
    yaml: `${HEAD}folders:\n  a: {name: ${'x'.repeat(41)}}\n`,
    faults: [['4:13', '1 to 40 bytes']],
  },
  {
    title: 'a folder without a name',
    yaml: `${HEAD}folders:\n  a: {}\n`,
    faults: [['4:3', 'name is required']],
  },
  {
    title: 'a name that bears a mark',
    yaml: `${HEAD}folders:\n  a: {name: "N [svc-aaaaaa-bbbbbccc]"}\n`,
    faults: [
      ['4:13', 'mark'],
      ['4:13', 'bytes'],
    ],
  },
  {
    title: 'what the service gives',
    yaml: `${HEAD}folders:\n  a: {name: N, list_count: 3}\n`,
    faults: [['4:16', 'the service sets list_count']],
  },
  // Messages
  { title: 'no channel', yaml: message('    name: M\n'), faults: [['4:3', 'channel is required']] },
  {
    title: 'another channel',
    yaml: message('    channel: fax\n'),
    faults: [['5:14', 'channel must be email or sms']],
  },
  {
    title: 'an attribute misspelt',
    yaml: message(`${MAIL}    subjct: x\n`),
    faults: [['13:5', 'did you mean subject?']],
  },
  {
    title: 'one of the other channel',
    yaml: message(`${MAIL}    subinfo: true\n`),
    faults: [['13:5', 'unknown attribute subinfo']],
  },
  {
    title: 'one attribute by two names',
    yaml: message(`${MAIL}    fromemail: a@shop.example\n`),
    faults: [['13:5', 'fromemail means the same as from']],
  },
  {
    title: 'two that are missing',
    yaml: message(MAIL.replace(/ {4}subject.*\n/, '').replace(/ {4}html.*\n/, '')),
    faults: [
      ['4:3', 'html is required'],
      ['4:3', 'subject is required'],
    ],
  },
  { title: 'an empty name', yaml: message(MAIL.replace('Mail', '""')), faults: [['6:11', 'name is empty']] },
  {
    title: 'a name that is true',
    yaml: message(MAIL.replace('Mail', 'true')),
    faults: [['6:11', 'put true in quotes']],
  },
  {
    title: 'a subject that is a list',
    yaml: message(MAIL.replace('subject: Sale', 'subject: [a]')),
    faults: [['10:14', 'single value, not a list']],
  },
  {
    title: 'a subject that is a mapping',
    yaml: message(MAIL.replace('subject: Sale', 'subject: {a: b}')),
    faults: [['10:14', 'single value, not a mapping']],
  },
  {
    title: 'a subject outside of Windows-1252',
    yaml: message(MAIL.replace('subject: Sale', 'subject: ☃')),
    faults: [['10:14', 'does not fit Windows-1252']],
    beyond: 'value',
  },
  {
    title: 'no address',
    yaml: message(MAIL.replace('shop@shop.example', 'shop')),
    faults: [['9:15', 'reply-to must be an e-mail address, not "shop"']],
    beyond: 'value',
  },
  {
    title: 'a boolean in words',
    yaml: message(`${TEXT}    subinfo: "yes"\n`),
    faults: [['9:14', 'subinfo must be true or false, not "yes"']],
  },
  {
    title: 'a value out of an enumeration',
    yaml: message(`${MAIL}    editor: 9\n`),
    faults: [['13:13', 'editor must be one of 1, 2, 3, 4, not 9']],
  },
  {
    title: 'null where there must be a value',
    yaml: message(MAIL.replace('subject: Sale', 'subject:')),
    faults: [['10:13', 'subject must be text, not null']],
  },
  // Content
  {
    title: 'a file that is not there',
    yaml: message(MAIL.replace('mail.html', 'nosuch.html')),
    faults: [['11:11', 'html: c/nosuch.html does not exist']],
    beyond: 'value',
  },
  {
    title: 'a path that leads upwards',
    yaml: message(MAIL.replace('c/mail.html', 'c/../../mail.html')),
    faults: [['11:11', 'must not leave the folder of this file']],
  },
  {
    title: 'a path from the root',
    yaml: message(MAIL.replace('c/mail.html', '/etc/passwd')),
    faults: [['11:11', 'must be a path relative to this file']],
  },
  {
    title: 'a path of a drive',
    yaml: message(MAIL.replace('c/mail.html', 'C:/mail.html')),
    faults: [['11:11', 'must be a path relative to this file']],
  },
  {
    title: 'a path with backslashes',
    yaml: message(MAIL.replace('c/mail.html', 'c\\mail.html')),
    faults: [['11:11', '/ between folders']],
  },
  {
    title: 'the content itself',
    yaml: message(TEXT.replace('message: c/sms.txt', 'message: |\n      Hello\n      you')),
    faults: [['8:14', 'must be the name of a file that holds the content']],
  },
  { title: 'no path', yaml: message(MAIL.replace('c/mail.html', '""')), faults: [['11:11', 'is empty']] },
  {
    title: 'content that breaks a rule',
    yaml: message(MAIL.replace('mail.html', 'snow.html')),
    faults: [['11:11', 'html (c/snow.html) does not fit Windows-1252: ☃ (U+2603) at 2:1']],
    beyond: 'value',
  },
  {
    title: 'an SMS that is too long',
    yaml: message(TEXT.replace('sms.txt', 'long.txt')),
    faults: [['8:14', 'message (c/long.txt) takes 5 parts']],
    beyond: 'value',
  },
  {
    title: 'a rule that ties attributes together',
    yaml: message(`${MAIL}    customoptin: true\n`),
    faults: [
      ['11:11', 'html (c/mail.html) has no opt-in link'],
      ['12:11', 'text (c/mail.txt) has no opt-in element'],
    ],
    beyond: 'value',
  },
  // Tasks
  {
    title: 'a task without anything',
    yaml: taskOf('    rate: 1\n'),
    faults: [
      ['4:3', 'name is required'],
      ['4:3', 'give list or search'],
      ['4:3', 'message is required'],
      ['4:3', 'at is required'],
    ],
  },
  {
    title: 'a task with null for its message',
    yaml: taskOf(TASK.replace('12', '~')),
    faults: [['4:3', 'message is required']],
  },
  {
    title: 'a list and a search',
    yaml: taskOf(`${TASK}    search: 3\n`),
    faults: [['9:13', 'give list or search, not both']],
  },
  {
    title: 'a list by name',
    yaml: taskOf(TASK.replace('list: 7', 'list: Newsletter')),
    faults: [['7:11', 'list must be the id of a list']],
  },
  {
    title: 'a search by name',
    yaml: taskOf(TASK.replace('list: 7', 'search: Old')),
    faults: [['7:13', 'search must be the id of a search']],
  },
  { title: 'a negative id', yaml: taskOf(TASK.replace('12', '-12')), faults: [['6:14', '-12 is not an id']] },
  {
    title: 'now',
    yaml: taskOf(TASK.replace('2027-03-20 09:00', 'Now')),
    faults: [['8:9', 'cannot be now']],
    beyond: 'value',
  },
  {
    title: 'a day that is not there',
    yaml: taskOf(TASK.replace('2027-03-20', '2027-02-30')),
    faults: [['8:9', 'no day 30 in February']],
    beyond: 'value',
  },
  {
    title: 'milliseconds',
    yaml: taskOf(TASK.replace('2027-03-20 09:00', '1800000000000')),
    faults: [['8:9', 'write 1800000000']],
    beyond: 'value',
  },
  {
    title: 'no time of day',
    yaml: taskOf(TASK.replace(' 09:00', '')),
    faults: [['8:9', 'no time of day']],
    beyond: 'value',
  },
  {
    title: 'a rate of 0',
    yaml: taskOf(`${TASK}    rate: 0\n`),
    faults: [['9:11', 'rate must be 1 or more, not 0']],
  },
  {
    title: 'a rate in quotes',
    yaml: taskOf(`${TASK}    rate: "500"\n`),
    faults: [['9:11', 'rate must be a whole number']],
  },
  {
    title: 'a rate that is a fraction',
    yaml: taskOf(`${TASK}    rate: 1.5\n`),
    faults: [['9:11', 'whole number']],
  },
  {
    title: 'a size the wrong way round',
    yaml: taskOf(`${TASK}    expect-size: 11000..9000\n`),
    faults: [['9:18', 'the lower one first']],
    beyond: 'value',
  },
  {
    title: 'a size in words',
    yaml: taskOf(`${TASK}    expect-size: many\n`),
    faults: [['9:18', 'two numbers']],
  },
  {
    title: 'negative credits',
    yaml: taskOf(`${TASK}    max-credits: -1\n`),
    faults: [['9:18', 'max-credits must be a whole number, 0 or more']],
  },
  {
    title: 'a hold of a minute',
    yaml: taskOf(`${TASK}    hold: 1m\n`),
    faults: [['9:11', 'from 2m to 24h']],
    beyond: 'value',
  },
  {
    title: 'a hold in words',
    yaml: taskOf(`${TASK}    hold: long\n`),
    faults: [['9:11', 'is not a duration: "long"']],
  },
  {
    title: "a channel beside a message of the file's",
    yaml: withMail(`tasks:\n  t:\n${TASK.replace('12', 'mail')}    channel: email\n`),
    faults: [['19:14', 'channel is allowed only if the message is not in this file']],
    beyond: 'value',
  },
  {
    title: 'a task that is cancelled',
    yaml: taskOf(`${TASK}    cancelled: true\n`),
    faults: [['9:5', 'the service sets cancelled']],
  },
  // Automations
  {
    title: 'no kind',
    yaml: ruleOf('    name: R\n'),
    faults: [['4:3', 'kind is required: click, open, subscription, date or sms']],
  },
  {
    title: 'another kind',
    yaml: ruleOf('    kind: close\n'),
    faults: [['5:11', 'kind must be click, open']],
  },
  {
    title: 'a rule without its action',
    yaml: ruleOf('    kind: open\n    name: R\n    message: 12\n'),
    faults: [
      ['4:3', 'action is required'],
      ['4:3', 'target is required'],
    ],
  },
  {
    title: 'a message of the other channel',
    yaml: withText(
      'automations:\n  r: {kind: open, name: R, message: text, actiontype: notify, actiontarget: a@shop.example}\n',
    ),
    faults: [['10:37', 'message is message text, which is for sms; email is needed']],
    beyond: 'value',
  },
  {
    title: 'a list by name as a target',
    yaml: ruleOf(
      '    kind: click\n    name: R\n    link: 3\n    actiontype: addtolist\n    actiontarget: News\n    after: 1d\n    actiononweekend: true\n',
    ),
    faults: [['9:19', 'actiontarget must be the id of a list']],
    beyond: 'value',
  },
  {
    title: 'an address that is none as a target',
    yaml: ruleOf(
      '    kind: open\n    name: R\n    message: 3\n    actiontype: notify\n    actiontarget: News\n',
    ),
    faults: [['9:19', 'actiontarget must be an e-mail address for notify']],
    beyond: 'value',
  },
  {
    title: 'a link and a message',
    yaml: ruleOf(
      '    kind: click\n    name: R\n    link: 3\n    message: 4\n    actiontype: notify\n    actiontarget: a@shop.example\n',
    ),
    faults: [['8:14', 'give link or message, not both']],
    beyond: 'value',
  },
  {
    title: 'an action without its delay',
    yaml: ruleOf(
      '    kind: open\n    name: R\n    message: 4\n    actiontype: addtolist\n    actiontarget: 7\n',
    ),
    faults: [['4:3', 'after must not be 0 for addtolist']],
    beyond: 'value',
  },
  {
    title: 'a delay without a word on weekends',
    yaml: ruleOf(
      '    kind: open\n    name: R\n    message: 4\n    actiontype: addtolist\n    actiontarget: 7\n    after: 1d\n',
    ),
    faults: [['4:3', 'weekends is required with after; use true or false']],
    beyond: 'value',
  },
  {
    title: 'a delay by two names',
    yaml: ruleOf(
      '    kind: date\n    name: R\n    actiontype: notify\n    actiontarget: a@shop.example\n    after: 1d\n    before: 1d\n    actiononweekend: true\n',
    ),
    faults: [['10:5', 'before means the same as after']],
  },
  {
    title: 'a delay that is no whole number of minutes',
    yaml: ruleOf(
      '    kind: subscription\n    name: R\n    list: 7\n    actiontype: notify\n    actiontarget: a@shop.example\n    after: 90s\n    actiononweekend: true\n',
    ),
    faults: [['10:12', 'after is not a whole number of minutes']],
    beyond: 'value',
  },
  {
    title: 'before where there is no date',
    yaml: ruleOf(
      '    kind: open\n    name: R\n    message: 4\n    actiontype: notify\n    actiontarget: a@shop.example\n    before: 1d\n',
    ),
    faults: [['10:5', 'the attribute "before" is allowed only in date rules']],
  },
  {
    title: 'an hour that is not full',
    yaml: ruleOf(
      '    kind: date\n    name: R\n    actiontype: notify\n    actiontarget: a@shop.example\n    actionhour: 09:30:00\n    actiononweekend: true\n',
    ),
    faults: [['9:17', 'actionhour must be a full hour']],
  },
  {
    title: 'a delay that is refused with an hour, in the unit of the file',
    yaml: ruleOf(
      '    kind: date\n    name: R\n    actiontype: notify\n    actiontarget: a@shop.example\n    before: 25m\n    actionhour: 09:00:00\n    actiononweekend: true\n',
    ),
    faults: [['9:13', 'before must be 0 or a multiple of 24m when actionhour is set; use 24m, or remove']],
    beyond: 'value',
  },
  {
    title: 'a list that it is copied to by itself',
    yaml: ruleOf(
      '    kind: subscription\n    name: R\n    list: 7\n    actiontype: copytolist\n    actiontarget: "7"\n    after: 1d\n    actiononweekend: true\n',
    ),
    faults: [['9:19', 'must differ from list; give the id of another list']],
    beyond: 'value',
  },
  {
    title: 'an hour of an answer without an answer',
    yaml: ruleOf(
      '    kind: sms\n    name: R\n    keyword: HELLO\n    list: 7\n    message_actionhour: 09:00:00\n',
    ),
    faults: [['9:25', 'only if message is set']],
    beyond: 'value',
  },
];
