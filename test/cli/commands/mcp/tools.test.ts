/** Contract, "Assistants": "Its tools read, check, rehearse and plan. Only `apply` writes to a real service". */
import { existsSync } from 'node:fs';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServer } from '../../../../src/cli/commands/mcp/server.ts';
import type { McpServerSettings } from '../../../../src/cli/commands/mcp/settings.ts';
import { topLevelCommandEntries } from '../../../../src/cli/registry/entries.ts';
import type { Transport, WireRequest } from '../../../../src/service/protocol/wire.ts';
import { type Assistant, assistantWorld, openAssistant } from '../../../support/assistant.ts';
import { type DemoService, openDemoService } from '../../../support/demo-service.ts';
import { writesIn } from '../../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let demo: DemoService;
let assistant: Assistant;
const sent: WireRequest[] = [];
const recorded: Transport = (request) => {
  sent.push(request);
  return demo.transport(request);
};
beforeAll(async () => {
  folder = await makeTemporaryFolder('assistant');
  await cp('examples/campaign', folder, { recursive: true });
  demo = await openDemoService();
  assistant = await openAssistant(['--tools', 'all'], {
    ...{ transport: recorded, env: demo.admin, cwd: folder },
  });
});
afterAll(async () => {
  expect(await assistant.close()).toBe(0);
  await rm(folder, { recursive: true });
});

const NAMES = [
  ...[
    'explain',
    'list_records',
    'get_record',
    'check_do_not_contact',
    'why_locked',
    'task_report',
    'forecast',
  ],
  ...['calendar', 'lint', 'estimate_sms', 'simulate_rule', 'why_not', 'rule_graph'],
  ...['draft_campaign', 'plan', 'rehearse', 'review_plan', 'export'],
];
const ALL_NAMES = [...NAMES, 'usage', 'audit'];
const WRITING = ['draft_campaign', 'plan', 'export'];

describe('the list of tools', () => {
  // A model reads all descriptions before it begins. The profile has signers, so the server offers apply.
  it.each([
    ['review', 16_000, NAMES.filter((name) => !WRITING.includes(name))],
    ['plan', 16_000, [...NAMES, 'apply']],
    ['all', 24_000, [...ALL_NAMES, 'apply']],
    ['plan,lint', 16_000, ['lint', 'plan']],
    [undefined, 16_000, [...NAMES, 'apply']],
  ])('with --tools %s has at most %i bytes, and no schemas of results', async (tools, most, names) => {
    const world = await assistantWorld();
    const other = await world.open(...(tools === undefined ? [] : ['--tools', tools]));
    const listed = await other.client.listTools();
    expect(listed.tools.map(({ name }) => name)).toEqual(names);
    expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThanOrEqual(most);
    expect(listed.tools.filter(({ outputSchema }) => outputSchema)).toEqual([]);
    await other.close();
    await world.remove();
  });

  it('of all tools has at most 24,000 bytes, also with a sandbox', async () => {
    const settings = { signers: {}, isSandboxOnly: true, accountWords: '' } as unknown as McpServerSettings;
    const server = await createServer(settings, topLevelCommandEntries, ['all']);
    const [here, there] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'test', version: '1' });
    await Promise.all([server.connect(here), client.connect(there)]);
    const listed = await client.listTools();
    expect(listed.tools.map(({ name }) => name)).toEqual([...ALL_NAMES, 'sandbox', 'apply']);
    expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThanOrEqual(24_000);
    await client.close();
  });

  it('begins each description with a verb', async () => {
    const { tools } = await assistant.client.listTools();
    for (const { name, description } of tools)
      expect(description, name).toMatch(/^(?:Apply|Check|Compare|Count|Explain|Get|List|Return|Show|Write) /);
  });

  it('describes an argument of several kinds of record neutrally, and others only where they are used', async () => {
    const { tools } = await assistant.client.listTools();
    const argumentsOf = (name: string) =>
      tools.find((tool) => tool.name === name)?.inputSchema.properties as Record<
        string,
        { description?: string }
      >;
    expect(argumentsOf('list_records')['id']?.description).toBe('Id or exact name');
    expect(argumentsOf('list_records')['sort']?.description).toBe('Attribute to sort by');
    expect(argumentsOf('list_records')['name']?.description).toBeUndefined();
    expect(argumentsOf('get_record')['id']?.description).toBe('Id or exact name');
    for (const name of ['why_locked', 'estimate_sms', 'export'])
      expect(Object.keys(argumentsOf(name))).not.toEqual(expect.arrayContaining(['cursor']));
    expect(JSON.stringify(tools)).not.toContain('stdin');
  });
});

describe('the tools', () => {
  it('are those of the contract, without apply if the profile has no signers, and without sandbox', async () => {
    const { tools } = await assistant.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(ALL_NAMES);
    for (const { inputSchema, annotations } of tools) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      // By default, a client takes a tool for one that destroys.
      expect([{ readOnlyHint: true }, { destructiveHint: false }]).toContainEqual(annotations);
    }
    const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint);
    expect(ALL_NAMES.filter((name) => !reading.some((each) => each.name === name))).toEqual(WRITING);
  });

  it('have no argument for a key, another profile or address, or the environment', async () => {
    const { tools } = await assistant.client.listTools();
    const names = tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}));
    expect(
      names.filter((name) =>
        /^profile|base_url|company|env|debug|explain_signature|\bkey|signers|^data$/.test(name),
      ),
    ).toEqual([]);
  });
});

/** Every tool with valid input, and the expected content of its result. */
const GOOD: readonly (readonly [name: string, given: Record<string, unknown>, held: object])[] = [
  [
    'explain',
    {},
    { ok: true, rows: expect.arrayContaining([expect.objectContaining({ resource: 'task' })]) },
  ],
  [
    'explain',
    { what: ['task.scheduledtime'] },
    { result: expect.objectContaining({ field: 'scheduledtime' }) },
  ],
  ['explain', { command: 'exit-codes' }, { result: { text: expect.stringContaining('11') } }],
  ['explain', { command: 'lint' }, { result: { text: expect.stringContaining('not-windows-1252') } }],
  [
    'explain',
    { command: 'task create' },
    { result: { text: expect.stringMatching(/Usage: svc task create[\s\S]*--expect-size/) } },
  ],
  // Whole: an assistant that reads half of the format writes files that do not work.
  [
    'explain',
    { what: ['campaign'] },
    { result: { text: expect.stringMatching(/^[^{][\s\S]*messages:[\s\S]*automations:/) } },
  ],
  [
    'list_records',
    { noun: 'task', status: 'completed', limit: 1 },
    {
      rows: [{ id: 3, channel: 'sms', untrusted: { name: 'Cupping, Thursday' } }],
      next_cursor: expect.any(String),
    },
  ],
  ['list_records', { noun: 'folder' }, { ok: true }],
  ['get_record', { noun: 'task', id: '2' }, { result: { id: 2, untrusted: { name: 'November news' } } }],
  ['get_record', { noun: 'automation', id: 'click:1' }, { result: { kind: 'click', paused: false } }],
  ['get_record', { noun: 'account' }, { result: { id: 1 } }],
  [
    'check_do_not_contact',
    { contact: ['Complaints@example.com', 'new@example.org'] },
    { ok: true, exit: 4, result: { checked: 2, listed: [] } },
  ],
  [
    'why_locked',
    { kind: 'email', id: '1' },
    { result: { locked: true, by: [{ kind: 'task', id: 2, untrusted: { name: 'November news' } }] } },
  ],
  [
    'task_report',
    { id: '2' },
    { rows: expect.arrayContaining([{ statistic: 'size', count: expect.any(Number), percent: null }]) },
  ],
  [
    'task_report',
    { id: '2', compare: '1' },
    {
      result: {
        task: { id: 2, emailuniqueopens: expect.any(Number), untrusted: { name: 'November news' } },
        other: { id: 1 },
      },
    },
  ],
  ['forecast', {}, { ok: true, exit: 0, rows: [] }],
  [
    'calendar',
    { from: '2026-11-01', weeks: 8 },
    { rows: expect.arrayContaining([expect.objectContaining({ local: expect.any(String), clashes: [] })]) },
  ],
  [
    'lint',
    { noun: 'email', id: '1' },
    { rows: [expect.objectContaining({ rule: 'unrendered-html', severity: 'warning' })] },
  ],
  ['lint', { noun: 'email', subject: 'Hi', html_file: 'content/spring.html' }, { exit: expect.any(Number) }],
  ['estimate_sms', { message: 'hi', recipients: 4 }, { result: { parts: 1, totalCredits: 4 } }],
  [
    'simulate_rule',
    { id: 'click:1', at: '2026-12-04 18:00' },
    {
      rows: [
        {
          time: 1796410800,
          local: '2026-12-04 19:00',
          action: 'addtolist',
          untrusted: { target: '2', why: '1 hour after the click' },
        },
      ],
    },
  ],
  [
    'why_not',
    { id: 'click:1' },
    {
      rows: expect.arrayContaining([
        expect.objectContaining({ reason: 'created', time: expect.any(Number) }),
      ]),
    },
  ],
  [
    'rule_graph',
    {},
    {
      result: { nodes: expect.arrayContaining([expect.objectContaining({ id: 'click:1', paused: false })]) },
    },
  ],
  [
    'rule_graph',
    { part: 'edges', limit: 1 },
    { rows: [expect.objectContaining({ from: expect.any(String) })], next_cursor: expect.any(String) },
  ],
  [
    'plan',
    { file: ['spring.yaml'] },
    {
      result: {
        steps: expect.arrayContaining([expect.objectContaining({ action: 'create', kind: 'task' })]),
      },
    },
  ],
  ['plan', { file: ['spring.yaml'], out: 'spring.plan' }, { result: { sha256: expect.any(String) } }],
  [
    'rehearse',
    { file: ['spring.yaml'] },
    { result: { sends: expect.arrayContaining([expect.objectContaining({ task: expect.any(Number) })]) } },
  ],
  [
    'rehearse',
    { file: ['spring.plan'], part: 'sends' },
    { rows: expect.arrayContaining([expect.objectContaining({ sent: expect.any(Number) })]) },
  ],
  ['export', { dir: 'exported' }, { result: { messages: expect.any(Number) } }],
  [
    'usage',
    { month: '2026-11' },
    { rows: [expect.objectContaining({ month: '2026-11', email_sent: 443, company_id: 1 })] },
  ],
  ['review_plan', { plan: 'spring.plan' }, { result: { untrusted: { text: expect.any(String) } } }],
  [
    'draft_campaign',
    { file: ['copy.yaml'], write: [{ path: 'copy.yaml', text: 'version: 1\ncampaign: Copy\n' }] },
    { rows: [], untrusted: { notes: ['wrote copy.yaml'] } },
  ],
];

/** Every tool with invalid input: each is refused, with its exit code. */
const BAD: readonly (readonly [name: string, given: Record<string, unknown>, exit: number, said: RegExp])[] =
  [
    ['explain', { what: ['nothing'] }, 2, /unknown resource/],
    ['explain', { what: ['task'], command: 'lint' }, 2, /not both/],
    ['explain', { command: '--profile x' }, 2, /words of a command/],
    ['explain', { command: 'nonsense' }, 2, /unknown|no /],
    ['list_records', {}, 2, /noun must be one of/],
    ['list_records', { noun: 'list' }, 2, /does not show a list; tasks and rules have its id/],
    ['list_records', { noun: 'task', flavour: 'x' }, 2, /no argument "flavour"/],
    ['list_records', { noun: 'folder', status: 'completed' }, 2, /no argument "status"/],
    ['list_records', { noun: 'task', profile: 'prod' }, 2, /no argument "profile"/],
    ['list_records', { noun: 'task', limit: 0 }, 2, /from 1 to 200/],
    ['list_records', { noun: 'task', cursor: '5-0000000000000000' }, 2, /cursor/],
    ['get_record', { noun: 'task' }, 2, /missing|needs/],
    ['get_record', { noun: 'task', id: '--yes' }, 4, /not found/],
    ['get_record', { noun: 'task', id: '2', field: 'nothing' }, 2, /no text/],
    ['why_locked', { kind: 'task', id: '99' }, 4, /not found/],
    ['task_report', { id: ['2'] }, 2, /must be a text/],
    ['forecast', { companies: 'all' }, 2, /no argument "companies"/],
    ['calendar', { weeks: 'many' }, 2, /whole number/],
    ['lint', { noun: 'email', html_file: '../secret.html' }, 2, /must not leave/],
    ['lint', { noun: 'email', html_file: '/etc/passwd' }, 2, /relative to the working folder/],
    ['lint', { noun: 'email', text_file: '-' }, 2, /must not leave|hidden/],
    ['estimate_sms', { message: 5.5 }, 2, /must be a text/],
    ['simulate_rule', { id: 'click:1' }, 2, /needs the argument at/],
    ['why_not', { id: 'click:99' }, 4, /not found/],
    ['rule_graph', { part: 'everything' }, 2, /no list/],
    ['plan', { file: ['.hidden.yaml'] }, 2, /hidden/],
    ['plan', { file: ['missing.yaml'] }, 2, /./],
    ['plan', { file: ['spring.yaml'], env: ['SVC_API_KEY'] }, 2, /no argument "env"/],
    ['plan', { file: ['spring.yaml'], out: 'spring.yaml' }, 2, /exists/],
    ['plan', { file: ['spring.yaml'], out: 'spring.yaml', force: true }, 2, /no argument "force"/],
    ['plan', { file: ['spring.yaml'], out: '../spring.plan' }, 2, /must not leave/],
    ['rehearse', { file: ['link.yaml'] }, 2, /link out of the working folder/],
    ['rehearse', { file: ['elsewhere.plan'] }, 2, /link out|not in the working folder|must not leave/],
    ['rehearse', { html: 'x.html' }, 2, /no argument "html"/],
    // Second attack L6: the server's memory is not for an assistant to fill.
    ['rehearse', { list_size: ['1=1000001'] }, 2, /at most 1000000 invented subscribers, not 1000001/],
    ['rehearse', { list_size: ['1=600000', '3=600000'] }, 2, /at most 1000000 .*, not 1200000/],
    ['export', { dir: '..' }, 2, /must not leave/],
    ['usage', { month: 'May' }, 2, /is not a month/],
    ['audit', {}, 2, /plans is missing/],
    ['audit', { plans: ['../plans'] }, 2, /must not leave/],
    ['review_plan', { plan: 'spring.yaml' }, 2, /is not a plan|not JSON|plan/],
    ['review_plan', { plan: '../spring.plan' }, 2, /must not leave/],
    ['draft_campaign', {}, 2, /needs the argument file/],
    ['draft_campaign', { file: ['spring.yaml'], write: 'x' }, 2, /must be a list of at most 50 objects/],
    ['get_record', { noun: 'dnc', address: 'someone@example.com' }, 2, /noun must be one of/],
    ['check_do_not_contact', {}, 2, /needs the argument contact/],
    ['check_do_not_contact', { contact: ['new@example.org', 'nobody'] }, 2, /must be an e-mail address/],
    ['check_do_not_contact', { contact: ['../list.csv'] }, 2, /must not leave/],
    ['check_do_not_contact', { contact: Array(501).fill('a@example.com') }, 2, /must be a list/],
  ];

/** Calls a tool as its row of GOOD says. Tests share the result, because some tools take long. */
const callsOfGood = new Map<object, ReturnType<Assistant['call']>>();
function callGood(name: string, given: Record<string, unknown>): ReturnType<Assistant['call']> {
  const call = callsOfGood.get(given) ?? assistant.call(name, given);
  callsOfGood.set(given, call);
  return call;
}

describe('each tool', () => {
  it.each(GOOD)('%s works with %j', async (name, given, held) => {
    const result = await callGood(name, given);
    expect(result).toMatchObject(held);
    expect(result.ok).toBe(result.exit === 0 || name === 'check_do_not_contact');
  });

  it.each(BAD)('%s rejects %j', async (name, given, exit, said) => {
    const outside = await makeTemporaryFolder('elsewhere');
    await writeFile(join(outside, 'spring.yaml'), 'campaign: x\n');
    for (const [link, to] of [['link.yaml', 'spring.yaml']] as const) {
      await rm(join(folder, link), { force: true });
      await symlink(join(outside, to), join(folder, link));
    }
    await writeFile(join(folder, 'elsewhere.plan'), JSON.stringify({ inputs: { file: '../x/spring.yaml' } }));
    const result = await assistant.call(name, given);
    expect(result).toMatchObject({ ok: false, exit });
    const { message, hint = '', details = [] } = result.untrusted;
    expect(`${message} ${hint} ${JSON.stringify(details)}`).toMatch(said);
    await rm(outside, { recursive: true });
  });

  it('has a row in both tables', () => {
    for (const rows of [GOOD, BAD]) {
      // An audit needs signers: test/cli/commands/mcp/apply.e2e.test.ts.
      const tested = new Set([...rows.map(([name]) => name), 'audit']);
      expect(ALL_NAMES.filter((name) => !tested.has(name))).toEqual([]);
    }
  });

  it('writes nothing to the service', () => {
    expect(sent.length).toBeGreaterThan(50);
    expect(writesIn(sent)).toEqual([]);
  });
});

describe('second attack M2: a campaign file cannot read what an assistant must not see', () => {
  const SECRET = 'pat-canary-12345';
  const campaign = (path: string): string =>
    `version: 1\ncampaign: Leak\nmessages:\n  m: {channel: sms, name: S, from: Me, message: ${path}}\n`;

  it.each([
    ['.git/config', /is hidden/],
    ['sub/.env', /is hidden/],
    ['link.txt', /is hidden/],
    ['state/notes.txt', /is in a folder in which svc keeps keys/],
    ['key.txt', /holds an API key or a token of svc/],
  ])('%s', async (path, says) => {
    const own = await makeTemporaryFolder('leak');
    for (const each of ['.git', 'sub', 'state']) await mkdir(join(own, each));
    for (const each of ['.git/config', 'sub/.env', 'state/notes.txt'])
      await writeFile(join(own, each), `[remote]\n  url = https://user:${SECRET}@/x\n`);
    await writeFile(join(own, 'key.txt'), demo.admin['SVC_API_KEY'] ?? '');
    await symlink('.git/config', join(own, 'link.txt'));
    await writeFile(join(own, 'leak.yaml'), campaign(path));
    const env = { ...demo.admin, SVC_STATE_DIR: join(own, 'state') };
    const other = await openAssistant([], { transport: recorded, env, cwd: own });
    for (const [name, given] of [
      ['plan', { file: ['leak.yaml'], out: 'leak.plan' }],
      ['rehearse', { file: ['leak.yaml'] }],
    ] as const) {
      const result = await other.call(name, given);
      expect(result).toMatchObject({ ok: false, exit: 2 });
      expect(JSON.stringify(result.untrusted)).toMatch(says);
    }
    const linted = path === 'key.txt' ? undefined : { noun: 'sms-message', message_file: path };
    if (linted) expect(await other.call('lint', linted)).toMatchObject({ ok: false, exit: 2 });
    expect(JSON.stringify(other.wire)).not.toContain(SECRET);
    expect(existsSync(join(own, 'leak.plan'))).toBe(false);
    await other.close();
    await rm(own, { recursive: true });
  });
});

describe('long results', () => {
  it('are paged by a cursor to the end', async () => {
    const ids: unknown[] = [];
    for (let cursor: string | undefined, pages = 0; pages === 0 || cursor; pages += 1) {
      const { rows, next_cursor } = await assistant.call('list_records', {
        noun: 'task',
        limit: 2,
        sort: 'id',
        ...(cursor ? { cursor } : {}),
      });
      ids.push(...rows.map(({ id }: { id: number }) => id));
      cursor = next_cursor;
    }
    expect(ids).toEqual([1, 2, 3, 4]);
  });

  it('have long texts in pages', async () => {
    const first = await assistant.call('get_record', { noun: 'email', id: '1', field: 'html' });
    expect(first.result.untrusted.text).toContain('<');
  });

  it('stay below 64 KB, whatever the model requests', async () => {
    for (const [name, given] of GOOD) await callGood(name, given);
    const lengths = assistant.wire
      .filter((line) => line.includes('structuredContent'))
      .map((line) => Buffer.byteLength(line));
    expect(lengths.length).toBeGreaterThanOrEqual(GOOD.length);
    const longest = Math.max(...lengths);
    expect(longest).toBeLessThan(64 * 1024);
  });
});
