/**
 * How each rule that ties attributes together reads when it is broken: in the interface, on the command line, and in a campaign file.
 * Contract, "Safety": faults name the attribute, the rule, and what to do instead, in the words of the user.
 */
import { describe, expect, it } from 'vitest';
import { readCampaign } from '../../src/features/campaign/file/read.ts';
import type { Scalar } from '../../src/kit/schema/field.ts';
import { sayFinding, sayReason } from '../../src/kit/schema/reason.ts';
import { DEFAULT_CONTENT_MARKUP_NAMES, type Resource, type Values } from '../../src/kit/schema/resource.ts';
import { checkValidationRules } from '../../src/kit/schema/validator.ts';
import { catalogue } from '../../src/service/resources/catalogue.ts';
import { sandboxOnlyResources } from '../../src/service/resources/companions.ts';
import { ruleOf, taskOf } from '../campaign/file/samples.ts';
import { PARTNER, runCli, serviceOf } from '../support/run-cli.ts';
import { createTestSandbox } from '../support/sandbox.ts';

const RESOURCES: readonly Resource[] = [...catalogue, ...sandboxOnlyResources];

interface Row {
  readonly resource: string;
  /** Breaks one rule. */
  readonly body: Values;
  /** The whole sentence, with the names of the interface. */
  readonly says: string;
  /** What svc prints for the flags. Omitted if no verb sends such a body. */
  readonly flags?: string;
  /** What svc prints for the campaign file. Omitted if no file has such an item. */
  readonly file?: string;
}

const NOTIFY = { name: 'R', summary: null, actiontype: 'notify', actiontarget: 'a@shop.example' };
const TRIGGERS: Readonly<Record<string, Values>> = {
  clickAutomation: { link_id: 3, message_id: null },
  openAutomation: { message_id: 4 },
  dateAutomation: {},
  subscriptionAutomation: { list_id: 7 },
};

const timed = Object.entries(TRIGGERS).flatMap(([resource, trigger]): readonly Row[] => {
  const rule = { ...trigger, ...NOTIFY };
  const action = resource === 'subscriptionAutomation' ? 'copytolist' : 'addtolist';
  return [
    {
      resource,
      body: { ...rule, actiontarget: '7' },
      says: 'actiontarget must be an e-mail address for notify; give the address to notify',
      flags:
        '--target (actiontarget) must be an e-mail address for notify (given: "7"); give the address to notify',
      file: 'target must be an e-mail address for notify, not "7"; give the address to notify',
    },
    {
      resource,
      body: { ...rule, actiontype: 'email_autoresponder', actiontarget: '5.5' },
      says: 'actiontarget must be an id for email_autoresponder; give the id of the message',
    },
    {
      resource,
      body: { ...rule, actionhour: '09:00:00' },
      says: 'actiononweekend is required with actionhour; use true or false',
      flags: '--weekends (actiononweekend) is required with --at-hour; use true or false',
      file: 'weekends is required with at-hour; use true or false',
    },
    {
      resource,
      body: { ...rule, actiontimediff: 60 },
      says: 'actiononweekend is required with actiontimediff; use true or false',
      flags: '--weekends (actiononweekend) is required with --after; use true or false',
      file: 'weekends is required with actiontimediff; use true or false',
    },
    {
      resource,
      body: { ...rule, actiononweekend: false },
      says: 'actiononweekend can be false only if actionhour or actiontimediff is set; set actiononweekend to true, or set actionhour or actiontimediff',
      flags:
        '--no-weekends (actiononweekend) can be false only if --at-hour or --after is set (given: false); set --weekends to true, or set --at-hour or --after',
      file: 'weekends can be false only if at-hour or after is set; set weekends to true, or set at-hour or after',
    },
    {
      resource,
      body: { ...rule, actiontype: action, actiontarget: '8' },
      says: `actiontimediff must not be 0 for ${action}; give the time between event and action`,
      flags: `--after (actiontimediff) must not be 0 for ${action} (given: 0); give the time between event and action`,
      file: `after must not be 0 for ${action}; give the time between event and action`,
    },
    {
      resource,
      body: { ...rule, actionhour: '09:00:00', actiontimediff: 1500, actiononweekend: true },
      says: 'actiontimediff must be 0 or a multiple of 1440 when actionhour is set; use 1440, or set actionhour to null',
      flags:
        '--after (actiontimediff) must be 0 or a multiple of 1440 when --at-hour is set (given: 1500); use 1440, or leave --at-hour out',
      file: 'actiontimediff must be 0 or a multiple of 1440 when at-hour is set; use 1440, or remove at-hour',
    },
  ];
});

const SMS_RULE = { name: 'R', keyword: null, list_id: 7, summary: null };
const MAIL = {
  ...{ fromemail: null, fromname: 'Shop', html: '<p>', name: 'M' },
  ...{ replyemail: 'a@shop.example', subject: 'S', text: 'T', customoptin: true },
};
const TASK = { channel: 'email', message_id: 4, name: 'T', scheduledtime: 4_000_000_000 };

const ROWS: readonly Row[] = [
  ...timed,
  {
    resource: 'task',
    body: { ...TASK, list_id: 1, search_id: 3 },
    says: 'give list_id or search_id, not both',
    flags: 'give --list or --search, not both',
    file: 'give list or search, not both',
  },
  {
    resource: 'task',
    body: { ...TASK, list_id: null, search_id: null },
    says: 'give list_id or search_id',
    flags: 'give --list or --search',
    file: 'give list or search',
  },
  {
    resource: 'clickAutomation',
    body: { ...NOTIFY, link_id: 3, message_id: 4 },
    says: 'give link_id or message_id, not both',
    flags: 'give --link or --message, not both',
    file: 'give link or message, not both',
  },
  {
    resource: 'clickAutomation',
    body: { ...NOTIFY, link_id: null, message_id: null },
    says: 'give link_id or message_id',
    flags: 'give --link or --message',
    file: 'give link or message',
  },
  {
    resource: 'subscriptionAutomation',
    body: {
      ...{ ...NOTIFY, list_id: 7, actiontype: 'removefromlist', actiontarget: '8' },
      ...{ actiontimediff: 60, actiononweekend: true },
    },
    says: 'actiontarget must be 0 for removefromlist; set actiontarget to 0, because list_id already names the list',
    flags:
      '--target (actiontarget) must be 0 for removefromlist (given: "8"); set --target to 0, because --list already names the list',
    file: 'target must be 0 for removefromlist, not "8"; set target to 0, because list already names the list',
  },
  {
    resource: 'subscriptionAutomation',
    body: {
      ...{ ...NOTIFY, list_id: 7, actiontype: 'copytolist', actiontarget: '7' },
      ...{ actiontimediff: 60, actiononweekend: true },
    },
    says: 'actiontarget must differ from list_id; give the id of another list',
    flags: '--target (actiontarget) must differ from --list (given: "7"); give the id of another list',
    file: 'target must differ from list; give the id of another list',
  },
  ...(
    [
      ['message_actionhour', '09:00:00', '--message-actionhour', '"09:00:00"'],
      ['message_actiontimediff', 60, '--after (message_actiontimediff)', '60'],
      ['message_actiononweekend', true, '--message-actiononweekend', 'true'],
    ] as const
  ).map(([attribute, value, flag, given]) => ({
    resource: 'smsAutomation',
    body: { ...SMS_RULE, [attribute]: value },
    says: `${attribute} can be set only if message_id is set; set message_id too, or set ${attribute} to null`,
    flags: `${flag} can be set only if --message is set (given: ${given}); set --message too, or leave ${flag.split(' ')[0]} out`,
    file: `${attribute} can be set only if message is set; set message too, or remove ${attribute}`,
  })),
  {
    resource: 'smsAutomation',
    body: { ...SMS_RULE, message_id: 4, message_actionhour: '09:00:00', message_actiontimediff: 90_000 },
    says: 'message_actiontimediff must be 0 or a multiple of 1440 when message_actionhour is set; use 90720, or set message_actionhour to null',
    flags:
      '--after (message_actiontimediff) must be 0 or a multiple of 1440 when --message-actionhour is set (given: 90000); use 90720, or leave --message-actionhour out',
    file: 'message_actiontimediff must be 0 or a multiple of 1440 when message_actionhour is set; use 90720, or remove message_actionhour',
  },
  {
    resource: 'smsAutomation',
    body: { ...SMS_RULE, message_id: 4, message_actiononweekend: false },
    says: 'message_actiononweekend can be false only if message_actionhour or message_actiontimediff is set; set message_actiononweekend to true, or set message_actionhour or message_actiontimediff',
    flags:
      '--no-message-actiononweekend (message_actiononweekend) can be false only if --message-actionhour or --after is set (given: false); set --message-actiononweekend to true, or set --message-actionhour or --after',
    file: 'message_actiononweekend can be false only if message_actionhour or after is set; set message_actiononweekend to true, or set message_actionhour or after',
  },
  {
    resource: 'emailMessage',
    body: { ...MAIL, text: '<svc_name value="optin" alt="">' },
    says: 'html has no opt-in link, which customoptin needs; add <svc_link value="%svc_optin%" name="opt-in">Confirm</svc_link>',
    flags:
      '--html has no opt-in link, which --customoptin needs; add <svc_link value="%svc_optin%" name="opt-in">Confirm</svc_link>',
  },
  {
    resource: 'emailMessage',
    body: {
      ...MAIL,
      html: '<svc_link value="%svc_optin%" name="opt-in">Confirm</svc_link>',
    },
    says: 'text has no opt-in element, which customoptin needs; add <svc_name value="optin" alt="">',
    flags: '--text has no opt-in element, which --customoptin needs; add <svc_name value="optin" alt="">',
  },
  {
    resource: 'smsMessage',
    body: { name: 'M', fromname: 'Shop', message: 'x'.repeat(459), subinfo: true },
    says: 'message takes 4 parts with subinfo; the maximum is 3; shorten the message, or set subinfo to false',
    flags: `--text (message) takes 4 parts with --subinfo; the maximum is 3 (given: "${'x'.repeat(40)}`,
  },
  ...(
    [
      ['custommaildomaintype', 'domain', 'enablecustommaildomain', '"domain"'],
      ['maildomainprimary', 'news.example.com', 'enablecustommaildomain', '"news.example.com"'],
      ['enablesplittest', true, 'enablesendbulkemail', 'true'],
      ['subscriberprofilefield_limit', 20, 'enablesubscriberprofilefields', '20'],
      ['enablesubscriptionmo', true, 'enablesms', 'true'],
    ] as const
  ).map(([attribute, value, condition, given]) => {
    const flag = `--${attribute.replaceAll('_', '-')}`;
    return {
      resource: 'accountFeatures',
      body: { [condition]: false, [attribute]: value },
      says: `${attribute} can be set only if ${condition} is true; set ${condition} to true, or set ${attribute} to null`,
      flags: `${flag} can be set only if --${condition} is true (given: ${given}); set --${condition} to true, or leave ${flag} out`,
    };
  }),
  {
    resource: 'subscriberProfileData',
    body: { value: 'espresso' },
    says: 'subscriber_id is required unless id is given',
  },
  {
    resource: 'subscriber',
    body: { email: null, msisdn: null },
    says: 'give email or msisdn',
  },
];

const resourceOf = ({ resource }: Row): Resource => {
  const found = RESOURCES.find(({ name }) => name === resource);
  if (!found) throw new Error(`no resource ${resource}`);
  return found;
};

const flagOf = ({ fields }: Resource, attribute: string): string =>
  (fields[attribute]?.flag ?? attribute).replaceAll('_', '-');

describe.each(ROWS)('$resource: $says', (row) => {
  const resource = resourceOf(row);
  const { flags: said, file: fault } = row;

  it('in the interface', () => {
    const [finding, ...others] = checkValidationRules(resource, row.body);
    if (!finding) throw new Error('no finding');
    expect(others).toEqual([]);
    const advice = finding.instead === undefined ? '' : `; ${sayReason(finding.instead)}`;
    expect(`${sayFinding(finding)}${advice}`).toBe(row.says);
  });

  const onTheCommandLine = async (): Promise<void> => {
    const verb = resource.name === 'accountFeatures' ? 'set' : 'create';
    const kind = resource.variant === undefined ? [] : ['--kind', resource.variant];
    const flags = Object.entries(row.body).flatMap(([attribute, value]) => argumentsOf(attribute, value));
    const { transport, sent } = serviceOf(await createTestSandbox());
    const run = await runCli([resource.noun, verb, ...kind, ...flags], {
      transport,
      ...(resource.name === 'accountFeatures' ? { env: PARTNER } : {}),
    });
    expect([run.exitCode, run.stdout, sent]).toEqual([2, '', []]);
    expect(run.stderr).toMatch(/^svc: [^\n]*; nothing was sent\n$/);
    expect(run.stderr).toContain(`svc: ${said}`);
  };
  if (said !== undefined) it('on the command line', onTheCommandLine);

  const argumentsOf = (attribute: string, value: Scalar): readonly string[] => {
    const flag = flagOf(resource, attribute);
    if (value === null) return [];
    if (attribute.endsWith('actiontimediff')) return ['--after', `${value}${unitOf(attribute)}`];
    if (typeof value === 'boolean') return [value ? `--${flag}` : `--no-${flag}`];
    return [`--${flag}`, attribute === 'scheduledtime' ? '+1d' : String(value)];
  };
  const unitOf = (attribute: string): string => (resource.fields[attribute]?.unit === 'minutes' ? 'm' : 's');

  const inCampaignFile = async (): Promise<void> => {
    const isTask = resource.name === 'task';
    const lines = Object.entries(row.body)
      .filter(([attribute, value]) => value !== null && !(isTask && attribute === 'channel'))
      .map(([attribute, value]) => {
        const key = resource.fields[attribute]?.flag ?? attribute;
        return `    ${key}: ${attribute === 'scheduledtime' ? '2027-03-20 09:00' : JSON.stringify(value)}\n`;
      });
    const yaml = isTask ? taskOf(lines.join('')) : ruleOf(`    kind: ${resource.variant}\n${lines.join('')}`);
    const found = await readCampaign(
      { path: 'sale.yaml', octets: Buffer.from(yaml) },
      { env: {}, set: new Map(), readContent: async () => ({ fault: 'does not exist' }) },
    );
    const faults = 'faults' in found ? found.faults.map(({ message }) => message) : [];
    expect(faults).toEqual([`${isTask ? 'task t' : 'automation r'}: ${fault}`]);
  };
  if (fault !== undefined) it('in a campaign file', inCampaignFile);
});

it('has a row for every rule, and every slot of a sentence is an attribute', () => {
  const broken = new Set(
    ROWS.flatMap((row) =>
      (resourceOf(row).rules ?? []).filter((rule) => rule.check(row.body, DEFAULT_CONTENT_MARKUP_NAMES)),
    ),
  );
  const rules = RESOURCES.flatMap(({ rules: all = [], name }) => all.map((rule) => ({ name, rule })));
  expect(
    rules.filter(({ rule }) => !broken.has(rule)).map(({ name, rule }) => `${name}: ${rule.text}`),
  ).toEqual([]);
  for (const row of ROWS) {
    const resource = resourceOf(row);
    const attributes: string[] = [];
    const words = { nameOf: (attribute: string) => String(attributes.push(attribute)) };
    for (const { reason, instead } of checkValidationRules(resource, row.body))
      for (const each of [reason, instead ?? '']) sayReason(each, words);
    expect(attributes.filter((attribute) => !Object.hasOwn(resource.fields, attribute))).toEqual([]);
  }
});
