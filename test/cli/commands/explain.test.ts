import { describe, expect, it } from 'vitest';
import { campaignSchema } from '../../../src/features/campaign/file/schema.ts';
import { catalogue } from '../../../src/service/resources/catalogue.ts';
import { NOBODY, runCli } from '../../support/run-cli.ts';

const explain = (...words: readonly string[]) => runCli(['explain', ...words, '-o', 'json'], { env: NOBODY });
const page = async (line: string) => {
  const run = await runCli(['explain', ...line.split(' ').filter(Boolean)], { env: NOBODY });
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  return run.stdout;
};

/** Removes line breaks, so that a text can be compared however it is wrapped. */
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');
const sectionOf = (text: string, title: string): string =>
  flat(text.split('\n\n').find((section) => section.startsWith(`${title}\n`)) ?? '');

describe('svc explain for programs', () => {
  it('lists every resource with its methods, traps and rules', async () => {
    const rows: { resource: string }[] = JSON.parse((await explain()).stdout);
    expect(rows).toHaveLength(catalogue.length);
    expect(rows.find(({ resource }) => resource === 'task')).toEqual({
      resource: 'task',
      noun: 'task',
      methods: 'GET HEAD POST PUT',
      describe: 'One send of a message to the subscribers of a list or saved search, at a set time',
      traps: expect.arrayContaining([expect.stringContaining('accepts a scheduledtime in the past')]),
      explanation: expect.stringContaining('also records that each recipient was contacted'),
      states: expect.arrayContaining([expect.stringContaining('From scheduled to cancelled')]),
      rules: ['Exactly one of list_id and search_id must be non-null (Endpoints, task)'],
      refusals: [],
      permissions: [expect.stringContaining('without the right to view all messages')],
    });
  });

  it.each(catalogue.map(({ name, fields }) => [name, Object.keys(fields)] as const))(
    '%s describes each field',
    async (name, fields) => {
      const rows: { field: string }[] = JSON.parse((await explain(name)).stdout);
      expect(rows.map(({ field }) => field)).toEqual(fields);
      for (const row of rows) expect(Object.keys(row)).toEqual([...ROW_KEYS, 'traps', 'explanation']);
    },
  );

  it('describes a field: type, marks, presence, default, limits and the rules that name it', async () => {
    const run = await explain('task.list_id');
    expect(JSON.parse(run.stdout)).toEqual({
      resource: 'task',
      field: 'list_id',
      type: 'int/null',
      marks: 'F',
      POST: 'required',
      PUT: 'optional',
      default: '',
      describe: 'List that the task sends to',
      refersTo: 'list',
      flags: ['--list'],
      rules: ['Exactly one of list_id and search_id must be non-null (Endpoints, task)'],
      traps: [expect.stringContaining('Exactly one of list_id and search_id')],
      explanation:
        'If you change the list of a task, the sandbox counts the recipients of the task (size) again.',
    });
  });

  it.each([
    ['folder.name', { octets: [1, 40], marks: 'FS', POST: 'required' }],
    ['sms-destination.keyword', { PUT: 'optional', POST: '' }],
    ['user.isadmin', { POST: 'partner', default: false }],
    ['subscription.actiontimediff', { unit: 'minutes' }],
    ['dateAutomation.actiontimediff', { unit: 'seconds' }],
    ['account.folderrestrict', { deprecated: true }],
    // Endpoints, subscriberProfileData PUT: `id` optional.
    ['subscriber-data.id', { PUT: 'optional' }],
  ])('%s', async (what, facts) => {
    expect(JSON.parse((await explain(what)).stdout)).toMatchObject(facts);
  });

  // Interface, "Automation rules", per-kind differences.
  it('describes a field of several kinds, each kind with its own facts', async () => {
    const { kinds, ...first } = JSON.parse((await explain('automation.actiontimediff')).stdout);
    expect(first).toMatchObject({ resource: 'clickAutomation', unit: 'seconds', min: 0 });
    expect(kinds.map((each: Record<string, unknown>) => [each['kind'], each['unit'], each['min']])).toEqual([
      ['click', 'seconds', 0],
      ['open', 'seconds', 0],
      ['subscription', 'minutes', 0],
      ['date', 'seconds', undefined],
    ]);
  });

  it('prints chosen fields as a table, not as a page', async () => {
    const run = await runCli(['explain', 'folder', '--fields', 'field,marks'], { env: NOBODY });
    expect(run.stdout.split('\n')[0]).toMatch(/^FIELD +MARKS$/);
    const csv = await runCli(['explain', 'folder', '-o', 'csv'], { env: NOBODY });
    expect(csv.stdout).toMatch(/^field,type,marks,POST,PUT,default,describe/);
  });
});

const ROW_KEYS = ['field', 'type', 'marks', 'POST', 'PUT', 'default', 'describe'];

/** Traps that cost people money, mail or data: the place in the interface, and the texts that the page must contain. */
const TRAPS: readonly (readonly [string, string, readonly (string | RegExp)[]])[] = [
  [
    'Endpoints, task: "set to the current time"',
    'task.scheduledtime',
    ['scheduledtime is in the past', 'present time'],
  ],
  ['task: "not the actual processing start"', 'task.scheduledtime', ['no field shows the actual start']],
  [
    'Endpoints, task',
    'task',
    ['accepts a scheduledtime in the past', 'charged when a task is sent', 'no task can be deleted'],
  ],
  ['States: completed, PUT with cancelled=true', 'task', ['completed task cannot be cancelled']],
  ['task: "messages per hour"', 'task.rate', ['messages per hour', 'PUT does not accept it']],
  ['task: "found at task creation"', 'task.size', ['sets size to that number', 'can differ']],
  ['task: "null when the statistic does not apply"', 'task.emailuniqueopens', ['Null does not mean 0']],
  ['States: message editable', 'task.message_id', ['423 subcode 10', 'does not stop the task']],
  ['Endpoints, task: "exactly one"', 'task.search_id', ['Exactly one of list_id and search_id']],
  [
    'Per-kind differences',
    'automation.actiontimediff',
    ['minutes for subscription rules', 'seconds for click, open and date rules'],
  ],
  ['Per-kind differences', 'subscription.actiontimediff', ['minutes for subscription rules']],
  [
    'smsAutomation: "Offset in seconds"',
    'automation.sms.message_actiontimediff',
    ['message_actiontimediff is seconds'],
  ],
  [
    'Automation rules 3: "date rules may be negative"',
    'date.actiontimediff',
    ['the rule acts before the date'],
  ],
  ['Automation rules 3', 'open.actiontimediff', ['must not be negative', 'must not be 0 for addtolist']],
  [
    'Automation rules 3',
    'subscription.actiontimediff',
    ['must not be 0 for copytolist, movetolist and removefromlist'],
  ],
  ['Automation rules 4', 'click.actionhour', ['multiple of 1440', '86400']],
  ['Automation rules 5', 'automation.actionhour', ['zone of the company']],
  ['Automation rules 1', 'date.actiononweekend', ['required if actionhour is set', 'cannot be set to false']],
  ['Automation rules 7', 'automation', ['is locked']],
  [
    'Automation rules 8',
    'click.actiontarget',
    ['email_autoresponder or sms_autoresponder rule can never be changed'],
  ],
  [
    'Automation rules 10',
    'subscription.actiontarget',
    ['removefromlist, actiontarget must be 0', 'a different list'],
  ],
  [
    'States: DELETE, "Queued actions are aborted"',
    'automation',
    ['queued actions are cancelled', 'queued actions still run'],
  ],
  ['States: "deletion of its list or the list\'s folder"', 'automation.paused', ['folder of that list']],
  ['Errors, 409 subcode 12', 'click.paused', ['409 subcode 12']],
  ['smsAutomation: "null catches all"', 'automation.sms.keyword', ['matches every inbound SMS']],
  [
    'Endpoints, smsAutomation rules',
    'automation.sms.message_actionhour',
    ['only if message_id is set', 'zone of the company'],
  ],
  [
    'Endpoints, doNotContact POST',
    'dnc',
    ['deletes every subscriber who matches', 'domain name deletes every subscriber'],
  ],
  ['Endpoints, doNotContact DELETE', 'dnc', ['id or contactdata, never both']],
  [
    'Endpoints, folder DELETE',
    'folder',
    ['deletes all lists in the folder', '72 hours', 'permanent', 'Never make the name of a folder public'],
  ],
  [
    'Limits: "1 to 40 octets"',
    'folder.name',
    ['bytes, not in characters', 'Never make the name of a folder public'],
  ],
  ['Endpoints, smsMessage DELETE', 'sms-message', ['the tasks that send it are not cancelled']],
  ['Endpoints, emailMessage DELETE', 'email', ['the tasks that send it are not cancelled']],
  [
    'emailMessage: "GET returns the rewritten version"',
    'email.html',
    ['replaces the links of the HTML with tracking URIs', 'Windows-1252', '400 subcode 11'],
  ],
  ['Content rules: 1000 octets', 'email.text', ['1000 bytes']],
  [
    'Content rules: customoptin',
    'email.customoptin',
    ['value="%svc_optin%"', 'name="opt-in"', 'value="optin"', 'empty alt'],
  ],
  ['emailMessage: tracktextlinks', 'email.tracktextlinks', ['In responses, tracktextlinks is always null']],
  ['States: Classic Editor or Campaign Designer', 'email.editor', ['2 or 3 cannot be changed']],
  ['emailMessage: fromemail', 'email.fromemail', ['sender addresses']],
  ['smsMessage: subinfo', 'sms-message.subinfo', ['30 bytes']],
  ['smsMessage: fromname', 'sms-message.fromname', ['Australia']],
  ['smsMessage: "Personalisation is not supported"', 'sms-message', ['Personalisation is not supported']],
  ['sms: senddate', 'sms.senddate', ['sends the SMS at once']],
  ['Endpoints, sms: "No contact or bounce records"', 'sms', ['cannot be recalled', 'no bounce', 'two weeks']],
  ['user: password', 'user.password', ['password is always null']],
  ['States: user', 'user', ['After three failed logins in a row']],
  ['Endpoints, user POST', 'user.isadmin', ['Only a partner']],
  ['accountFeatures: locked', 'features.locked', ['no user of the company can log in']],
  [
    'Endpoints, accountFeatures PUT',
    'features.enablesubscriptionmo',
    ['sends the field with every change', 'enablesms is true'],
  ],
  ['Limits: "null means unlimited"', 'account.search_limit', ['no limit']],
  ['account: folderrestrict', 'account.folderrestrict', ['deprecated']],
  ['account, notes: "null for sub-users"', 'account.blacklist_count', ['Sub-users get null']],
  ['account, notes: sample response', 'account.custommaildomain', ['table of fields does not']],
  ['account: user_limit, default 0', 'account.user_limit', ['default of user_limit is 0']],
  ['smsDestination: keyword', 'sms-destination', ['only SMS that begin with this keyword']],
  ['form: "Legacy forms are not returned"', 'form', ['does not return legacy forms']],
  [
    'Endpoints, subscriberProfileData DELETE',
    'subscriber-data',
    ['removes all values of that subscriber or field', 'the profile field comes first'],
  ],
];

describe('traps', () => {
  it.each(TRAPS)('%s: svc explain %s', async (_, topic, words) => {
    const text = await page(topic);
    const traps = sectionOf(text, 'TRAPS');
    for (const word of words) expect(traps).toContain(word);
    // The trap comes first, right under the title.
    expect(text.split('\n')[2]).toBe('TRAPS');
  });
});

describe('the page of a resource', () => {
  it('svc explain task has purpose, states, methods, commands, and fields with their facts', async () => {
    const text = await page('task');
    expect(
      text
        .split('\n\n')
        .slice(1)
        .map((section) => section.split('\n')[0]),
    ).toEqual([
      'TRAPS',
      'WHAT IT IS',
      'WHO MAY DO WHAT',
      'STATES',
      'RULES ACROSS FIELDS',
      'METHODS',
      'COMMANDS',
      'FIELDS',
      'SEE ALSO',
    ]);
    expect(text).toContain('DELETE  not supported');
    expect(text).toContain('scheduledtime*  (decimal; required in create; optional in update; sort)\n');
    expect(flat(text)).toContain('svc task guard Watch a task');
  });

  it('svc explain task.scheduledtime has type, methods, flags and an example', async () => {
    const text = await page('task.scheduledtime');
    expect(sectionOf(text, 'TYPE')).toContain('Unix time in seconds');
    expect(sectionOf(text, 'METHODS')).toBe(
      'METHODS GET (svc task list) sort key POST (svc task create) required PUT (svc task update) optional',
    );
    expect(sectionOf(text, 'FLAGS')).toContain('--at <time>, --scheduledtime <time>');
    expect(sectionOf(text, 'EXAMPLE')).toContain('--at "tomorrow 9:00"');
  });

  it('svc explain automation.actiontimediff has the facts of every kind', async () => {
    const text = await page('automation.actiontimediff');
    const type = sectionOf(text, 'TYPE');
    expect(type).toContain('For click and open rules: int: whole number, in seconds; at least 0.');
    expect(type).toContain('For subscription rules: int: whole number, in minutes; at least 0.');
    expect(type).toContain('For date rules: int: whole number, in seconds.');
    expect(sectionOf(text, 'FLAGS')).toContain('--before <duration>');
    expect(sectionOf(await page('click.actiontimediff'), 'FLAGS')).not.toContain('--before');
  });

  it('svc explain automation has the five kinds, and where each is explained', async () => {
    const text = await page('automation');
    for (const kind of ['click', 'open', 'subscription', 'date', 'automation.sms'])
      expect(text).toContain(`svc explain ${kind} `);
    expect(text).toContain('FIELDS OF ALL KINDS');
  });

  it('svc explain form lists announced methods', async () => {
    expect(await page('form')).toContain('POST    announced, not available yet');
  });

  it('svc explain lists every noun', async () => {
    const text = await page('');
    for (const { noun } of catalogue) expect(text).toMatch(new RegExp(`^ {2}${noun} `, 'm'));
  });
});

// Contract, "Campaigns as files": "its JSON Schema: `svc explain campaign -o json`".
describe('svc explain campaign', () => {
  it('describes each part of the file, with an example', async () => {
    const text = await page('campaign');
    for (const title of ['TRAPS', 'SECTIONS', 'TASKS', 'AUTOMATIONS', 'VARIABLES', 'EXAMPLE'])
      expect(text).toMatch(new RegExp(`^${title}$`, 'm'));
    expect(sectionOf(text, 'TASKS')).toContain('expect-size Expected number of subscriptions');
    expect(sectionOf(text, 'AUTOMATIONS')).toMatch(/For date rules: before /);
    expect(text).toContain('\n  messages:\n    spring:\n      channel: email\n');
    // A step of a sequence sends a message. It has no list and no address as its target.
    expect(sectionOf(text, 'SEQUENCES')).toContain('message* Message of the step: the key of a message');
    const [, bytes] = /Name, 1 to ([0-9]+) bytes/.exec(sectionOf(text, 'FOLDERS')) ?? [];
    expect(sectionOf(text, 'TRAPS')).toContain(`A folder name has at most ${bytes} bytes`);
  });

  it('prints its JSON Schema with -o json', async () => {
    const run = await explain('campaign');
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(run.stdout)).toEqual(campaignSchema());
  });

  it('rejects a field', async () => {
    const run = await explain('campaign', 'tasks');
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse(run.stderr).error.message).toBe(
      'unexpected argument after svc explain campaign: tasks',
    );
  });

  it.each(['campain', 'campaigns'])('suggests it for %s', async (word) => {
    expect(JSON.parse((await explain(word)).stderr).error.hint).toContain('did you mean campaign?');
  });
});

describe('on a terminal', () => {
  const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));
  const at = (columns: number, env = {}) =>
    runCli(['explain', 'task'], { tty: true, columns, env: { ...NOBODY, TERM: 'xterm', ...env } });

  it('headings are bold, but not with NO_COLOR', async () => {
    expect((await at(80)).stdout).toContain('\u001b[1mTRAPS\u001b[22m');
    expect((await at(80, { NO_COLOR: '1' })).stdout).not.toContain('\u001b');
  });

  it.each([
    [40, 40],
    [80, 80],
    [200, 100],
  ])('lines have at most %i columns: %i', async (columns, most) => {
    const { stdout } = await at(columns, { NO_COLOR: '1' });
    expect(widest(stdout)).toBeLessThanOrEqual(most);
    expect(widest(stdout)).toBeGreaterThan(most - 8);
  });

  it('lines have at most 80 columns elsewhere', async () => {
    const width = widest(await page('task'));
    expect(width).toBeLessThanOrEqual(80);
    expect(width).toBeGreaterThan(72);
  });
});

describe('the search for a page', () => {
  it.each([
    'task.scheduled-time',
    'task.SCHEDULED_TIME',
    'task scheduledtime',
    'task at',
    'task.at',
    'task.now',
    'task.ScheduledTime',
    'Task.scheduledtime',
  ])('finds task.scheduledtime for %s', async (line) => {
    expect(await page(line)).toMatch(/^task\.scheduledtime\n/);
  });

  it.each([
    ['task.list-id', 'task.list_id'],
    ['task.list', 'task.list_id'],
    ['email.from', 'email.fromemail'],
    ['emailMessage.html-file', 'email.html'],
    ['date.before', 'date.actiontimediff'],
    ['automation click actiontimediff', 'click.actiontimediff'],
    ['automation.click.after', 'click.actiontimediff'],
    ['automation sms keyword', 'automation.sms.keyword'],
    ['task scheduled-time', 'task.scheduledtime'],
  ])('finds %s for %s', async (line, title) => {
    expect((await page(line)).split('\n')[0]).toBe(title);
  });

  it.each([
    ['nothing', 'unknown resource nothing', 'nouns: account,'],
    ['tsak', 'unknown resource tsak', 'did you mean task?'],
    ['scheduledtime', 'unknown resource scheduledtime', 'did you mean svc explain task.scheduledtime?'],
    ['folder.nothing', 'folder has no field nothing', 'fields: id, list_count'],
    ['folder.__proto__', 'folder has no field __proto__', 'fields: id'],
    ['folder.constructor', 'folder has no field constructor', 'fields: id'],
    ['task.sheduledtime', 'task has no field sheduledtime', 'did you mean scheduledtime?'],
    ['task.contactdata', 'task has no field contactdata', 'did you mean svc explain dnc.contactdata?'],
    ['task at now', 'expected one field name, but found two: at now', 'svc explain task scheduledtime'],
  ])('exits with 2 for %s, and lists the pages', async (line, message, hint) => {
    const run = await explain(...line.split(' '));
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse(run.stderr).error).toMatchObject({ message, hint: expect.stringContaining(hint) });
  });

  it('names the command of a flag that was given as a page', async () => {
    const run = await runCli(['explain', 'task', '--at'], { env: NOBODY });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('write a field without dashes: svc explain <noun> at');
    const other = await runCli(['explain', 'task', '--nosuch'], { env: NOBODY });
    expect(other.stderr).toContain('svc explain has no flag --nosuch');
  });
});

// Interface, "Errors": the rows of its table.
describe('svc explain of an error', () => {
  it.each([
    ['423/10', /^Error 423 subcode 10\n.*scheduled to be sent, or has been sent.*Message \d+ is locked/s],
    [
      '423/4',
      /in the last 72 hours.*Folder \d+ or one of its lists is to be or has been targeted.*DELETE of folder/s,
    ],
    ['423/5', /Folder contains List \d+ which is permanent/],
    ['409/12', /cannot be unpaused: Dependent list resource \d+ no\s+longer exists/],
    ['400/11', /Dynamic content syntax error/],
  ])('%s says when it occurs, and its message', async (topic, text) => {
    const run = await runCli(['explain', topic]);
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(text) });
  });

  it('shows each subcode of a status, and names the known ones for an unknown one: exit 2', async () => {
    expect((await runCli(['explain', '423'])).stdout).toMatch(
      /423 SUBCODE 10.*423 SUBCODE 4.*423 SUBCODE 5/s,
    );
    const unknown = await runCli(['explain', '423/99']);
    expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unknown.stderr).toContain('it has 423 subcode 10, 423 subcode 4 and 423 subcode 5');
    expect(await runCli(['explain', '418'])).toMatchObject({ exitCode: 2 });
  });

  it('is data for programs', async () => {
    const { stdout } = await runCli(['explain', '423', '10', '-o', 'json']);
    expect(JSON.parse(stdout)).toEqual({
      errors: [
        {
          code: 423,
          subcode: 10,
          when: expect.stringContaining('scheduled'),
          message: expect.stringMatching(/^Message \d+ is locked$/),
          from: [
            { resource: 'emailMessage', methods: ['PUT', 'DELETE'] },
            { resource: 'smsMessage', methods: ['PUT', 'DELETE'] },
          ],
        },
      ],
    });
  });
});
