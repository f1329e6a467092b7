import { describe, expect, it } from 'vitest';
import { METHODS, type Method, supports } from '../../../src/kit/schema/resource.ts';
import { catalogue } from '../../../src/service/resources/catalogue.ts';
import { withEverything } from '../../support/everything.ts';
import { PARTNER, runCli, serviceOf } from '../../support/run-cli.ts';

const rule = (kind: string, more: string): Partial<Record<Method, string>> => ({
  GET: `automation get ${kind}:1`,
  HEAD: `automation exists ${kind}:1`,
  POST: `automation create --kind ${kind} --name Another ${more}`,
  PUT: `automation update ${kind}:1 --name Renamed`,
  DELETE: `automation delete ${kind}:1 --yes`,
});
const NOTIFY = '--actiontype notify --actiontarget office@example.com';

/** A command line for each method of each resource. */
const LINES: Readonly<Record<string, Partial<Record<Method, string>>>> = {
  account: {
    GET: 'account get',
    HEAD: 'account exists',
    POST: 'account create --name New --contactemail new@example.com',
  },
  accountFeatures: { GET: 'features get', PUT: 'features set --list-limit 300' },
  user: {
    GET: 'user get sub',
    HEAD: 'user exists sub',
    POST: 'user create --username ada --firstname Ada --lastname Byron --email ada@example.com --password secret12',
    PUT: 'user update sub --firstname Ada',
    DELETE: 'user delete sub --yes',
  },
  sms: {
    GET: 'sms get 1',
    HEAD: 'sms exists 1',
    POST: 'sms send --to +447700900123 --from Example --text Hi --now --yes',
  },
  smsMessage: {
    GET: 'sms-message get Free',
    HEAD: 'sms-message exists Free',
    POST: 'sms-message create --name Sale --from Example --text Hi',
    PUT: 'sms-message update Free --text Bye',
    DELETE: 'sms-message delete Free --yes',
  },
  smsDestination: {
    GET: 'sms-destination get 1',
    HEAD: 'sms-destination exists 1',
    PUT: 'sms-destination update 1 --keyword SALE',
  },
  emailMessage: {
    GET: 'email get Free',
    HEAD: 'email exists Free',
    POST: 'email create --name Sale --subject Sale --from-name Example --reply-to office@example.com --html Hi --text Hi',
    PUT: 'email update Free --subject Sale',
    DELETE: 'email delete Free --yes',
  },
  emailMessageLink: { GET: 'link get 1', HEAD: 'link exists 1' },
  task: {
    GET: 'task get Sale',
    HEAD: 'task exists Sale',
    POST: 'task create --name Again --channel email --message Taken --list 1 --at +1h',
    PUT: 'task update Sale --at +2h',
  },
  folder: {
    GET: 'folder get News',
    HEAD: 'folder exists News',
    POST: 'folder create --name Archive',
    PUT: 'folder update News --name Old',
    DELETE: 'folder delete News --yes',
  },
  doNotContact: {
    GET: 'dnc get old@example.com',
    HEAD: 'dnc exists old@example.com',
    POST: 'dnc add new@example.com --yes',
    DELETE: 'dnc remove old@example.com --yes',
  },
  form: { GET: 'form get 1', HEAD: 'form exists 1', DELETE: 'form delete 1 --yes' },
  subscriberProfileData: {
    GET: 'subscriber-data get 1_1',
    HEAD: 'subscriber-data exists 1_1',
    POST: 'subscriber-data create --subscriber 1 --field 2 --value L',
    PUT: 'subscriber-data update 1_1 --value green',
    DELETE: 'subscriber-data delete 1_1 --yes',
  },
  clickAutomation: rule('click', `--message Taken ${NOTIFY}`),
  openAutomation: rule('open', `--message Taken ${NOTIFY}`),
  subscriptionAutomation: rule('subscription', `--list 1 ${NOTIFY}`),
  dateAutomation: rule('date', NOTIFY),
  smsAutomation: rule('sms', '--keyword SALE --list 1'),
};

const rows = catalogue.flatMap((resource) =>
  METHODS.filter((method) => supports(resource, method)).map((method) => [resource, method] as const),
);

describe.each(rows)('$name', (resource, method) => {
  const line = LINES[resource.name]?.[method] ?? '';
  const env = resource.partnerOnly || line.startsWith('account create') ? PARTNER : {};

  it(`${method}: svc ${line}`, async () => {
    expect(line).not.toBe('');
    const { transport, sent } = serviceOf(await withEverything());
    const company = line.startsWith('account create') ? { SVC_COMPANY_ID: undefined } : {};
    const run = await runCli([...line.split(' '), '-o', 'json'], { transport, env: { ...env, ...company } });
    expect(run.stderr).not.toContain('error');
    expect(run.exitCode).toBe(0);
    expect(typeof JSON.parse(run.stdout)).toBe('object');
    const path = `/v1/${resource.name}`;
    expect(sent.filter((each) => each.method === method && each.path.startsWith(path))).toHaveLength(1);
  });
});

describe.each(catalogue.filter(({ single }) => !single))('$name: list and missing records', (resource) => {
  const noun = resource.noun;
  const kind = resource.variant === undefined ? [] : ['--kind', resource.variant];
  const needed = resource.methods.get?.oneOf ? ['--subscriber', '1'] : [];

  it('list prints the attributes of the interface', async () => {
    const { transport } = serviceOf(await withEverything());
    const run = await runCli([noun, 'list', ...kind, ...needed, '-o', 'json'], { transport });
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    const [first] = JSON.parse(run.stdout);
    expect(Object.keys(first)).toEqual(
      expect.arrayContaining(['id', ...resource.columns.filter((name) => name !== 'status')]),
    );
  });

  it('an empty list is [] in JSON, a line on stderr in a table, and exit 0', async () => {
    const { transport } = serviceOf(await withEverything());
    const filters = resource.methods.get?.oneOf ? ['--subscriber', '99'] : ['--id', '99'];
    const json = await runCli([noun, 'list', ...kind, ...filters, '-o', 'json'], { transport });
    expect(json).toMatchObject({ exitCode: 0, stdout: '[]\n', stderr: '' });
    const table = await runCli([noun, 'list', ...kind, ...filters], { transport });
    const without = resource.methods.get?.oneOf ? '' : ` To list all: svc ${noun} list`;
    const words = `No ${noun === 'automation' ? 'rule' : noun} matches the filters.${without}\n`;
    expect(table).toMatchObject({ exitCode: 0, stdout: '', stderr: words });
  });

  it('exists and get exit with 4 if not found', async () => {
    const { transport } = serviceOf(await withEverything());
    const id = needed.length > 0 ? '9_9' : '99';
    const exists = await runCli([noun, 'exists', id, ...kind], { transport });
    expect(exists).toEqual({ exitCode: 4, stdout: '', stderr: '', questions: [] });
    const get = await runCli([noun, 'get', id, ...kind, '-o', 'json'], { transport });
    expect(get).toMatchObject({ exitCode: 4, stdout: '' });
    expect(JSON.parse(get.stderr)).toMatchObject({ error: { kind: 'not-found', exit: 4 } });
  });
});

describe('-o json of exists', () => {
  it.each([
    ['News', { exists: true }, 0],
    ['Old', { exists: false }, 4],
  ])('%s: %j', async (name, value, exitCode) => {
    const { transport } = serviceOf(await withEverything());
    const run = await runCli(['folder', 'exists', name, '-o', 'json'], { transport });
    expect(run.exitCode).toBe(exitCode);
    expect(JSON.parse(run.stdout)).toEqual(value);
  });
});
