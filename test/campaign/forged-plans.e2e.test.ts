/**
 * Acceptance, C1, and contract, "A plan can be trusted by whoever signs it". The digest of a plan is not secret: anyone who writes a plan
 * can compute it. So each plan here has a correct digest and the octets that `svc plan` writes, but differs from its files or the
 * service. Neither `approve` nor `apply` may accept it.
 */

import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/features/campaign/plan-file/plan-parts.ts';
import { createChance } from '../client/simulation-world.ts';
import { CAMPAIGN_FILES, putCampaignFiles } from '../support/campaign-files.ts';
import { depth, tried } from '../support/depth.ts';
import { withEverything } from '../support/everything.ts';
import { putEmail, putList } from '../support/messages.ts';
import { type Run, runCli, serviceOf, writesIn } from '../support/run-cli.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import { makeKey, type SshKey, signatureOf } from '../support/ssh-keys.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

const FIRST = Number(process.env['SVC_SEED'] ?? 1);
const EDITS = depth('SVC_FORGED', { few: 80, full: 5000 });

let keys: string;
let ada: SshKey;
beforeAll(async () => {
  keys = await makeTemporaryFolder('forged-keys');
  ada = await makeKey(keys, 'ada');
});
afterAll(() => removeFolder(keys));

let folder: string;
let sandbox: TestSandbox;
let service: ReturnType<typeof serviceOf>;
beforeEach(async () => {
  folder = await makeTemporaryFolder('forged');
  sandbox = await withEverything();
  service = serviceOf(sandbox);
  await writeFile(join(folder, 'team.signers'), `ada@example.com ${ada.line}\n`);
});
afterEach(() => removeFolder(folder));

const svc = (...argv: readonly string[]): Promise<Run> =>
  runCli(argv, {
    cwd: folder,
    transport: service.transport,
    env: { PATH: process.env['PATH'], USER: 'ada' },
  });
async function done(...argv: readonly string[]): Promise<Run> {
  const run = await svc(...argv);
  expect(run.exitCode, `${argv.join(' ')}: ${run.stderr}`).toBe(0);
  return run;
}
const plan = (...more: readonly string[]): Promise<Run> =>
  done('plan', 'spring.yaml', '--out', 'spring.plan', '--force', ...more);

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
// biome-ignore lint/suspicious/noExplicitAny: a forger writes whatever there is room for
type Draft = any;

/** Makes a digest with RFC 8785 and SHA-256, as a script of 15 lines could. */
function resealed(draft: Draft): string {
  const { sha256: _, ...rest } = draft;
  const sha256 = createHash('sha256').update(canonicalJson(rest)).digest('hex');
  const inOrder = Object.entries({ ...rest, sha256 }).map(([name, value]) => [
    name,
    value === undefined ? value : JSON.parse(canonicalJson(value)),
  ]);
  return `${JSON.stringify(Object.fromEntries(inOrder), undefined, 2)}\n`;
}
const honest = async (): Promise<Draft> => JSON.parse(await readFile(join(folder, 'spring.plan'), 'utf8'));

async function forge(change: (draft: Draft) => void): Promise<string> {
  const draft = await honest();
  change(draft);
  const text = resealed(draft);
  await writeFile(join(folder, 'spring.plan'), text);
  return JSON.parse(text).sha256;
}

const signatures = async (): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.sig'));

/** Checks that an honest reviewer signs nothing, and that a signature from elsewhere causes no writes. */
async function refusedByBoth(
  sha256: string,
  exits: { readonly approve: number; readonly apply: number },
): Promise<void> {
  const before = service.sent.length;
  const approved = await svc('approve', 'spring.plan', '--yes', '--identity', ada.path);
  expect([approved.exitCode, await signatures()], approved.stderr).toEqual([exits.approve, []]);
  await writeFile(join(folder, 'spring.plan.ada.sig'), await signatureOf(ada, sha256));
  const applied = await svc('apply', 'spring.plan', '--approvals', '1', '--signers', 'team.signers', '--yes');
  expect([applied.exitCode, writesIn(service.sent.slice(before))], applied.stderr).toEqual([exits.apply, []]);
}

const itemIn = (draft: Draft, kind: string, key: string): Draft =>
  draft.inputs.wanted.items.find((item: Draft) => item.kind === kind && item.key === key);
const stepIn = (draft: Draft, kind: string, key: string): Draft =>
  draft.steps.find((step: Draft) => step.kind === kind && step.key === key);

describe('a plan whose campaign differs from its files: exit 2', () => {
  beforeEach(async () => {
    await putCampaignFiles(folder);
    await plan();
  });

  it.each<[string, (draft: Draft) => void]>([
    [
      'the text of an SMS',
      (draft) => {
        itemIn(draft, 'message', 'last').values.message = 'EVIL: pay at http://evil.example/';
      },
    ],
    [
      'the target of a link',
      (draft) => {
        const { values } = itemIn(draft, 'message', 'news');
        values.html = values.html.replace('shop.example', 'evil.example');
      },
    ],
    [
      'the reply address',
      (draft) => Object.assign(itemIn(draft, 'message', 'news').values, { replyemail: 'e@evil.example' }),
    ],
    [
      'one more attribute',
      (draft) => Object.assign(itemIn(draft, 'message', 'news').values, { customoptin: true }),
    ],
    ['the list', (draft) => Object.assign(itemIn(draft, 'task', 'news'), { list: '2' })],
    ['the bounds', (draft) => Object.assign(itemIn(draft, 'task', 'news'), { expectSize: null })],
    ['the words of a time', (draft) => Object.assign(itemIn(draft, 'task', 'news'), { at: '+172800s' })],
    [
      'a time, in the step as in the campaign',
      (draft) => {
        const time = stepIn(draft, 'task', 'last').time - 86_400;
        Object.assign(itemIn(draft, 'task', 'last'), { at: String(time) });
        Object.assign(stepIn(draft, 'task', 'last'), { time });
      },
    ],
    [
      'a rule that is paused',
      (draft) => Object.assign(itemIn(draft, 'automation', 'readers'), { paused: true }),
    ],
    [
      'the address of a notice of a rule',
      (draft) =>
        Object.assign(itemIn(draft, 'automation', 'readers').values, { actiontarget: 'e@evil.example' }),
    ],
    [
      'the place of a content',
      (draft) => Object.assign(itemIn(draft, 'message', 'last').files, { message: 'news.txt' }),
    ],
    [
      'an extra item',
      (draft) => {
        const task = structuredClone(itemIn(draft, 'task', 'last'));
        const step = structuredClone(stepIn(draft, 'task', 'last'));
        draft.inputs.wanted.items.splice(5, 0, { ...task, key: 'more' });
        draft.steps.splice(5, 0, { ...step, key: 'more' });
        draft.observed.items['task more'] = [];
      },
    ],
    [
      'a missing item',
      (draft) => {
        draft.inputs.wanted.items.pop();
        draft.steps.pop();
        delete draft.observed.items['automation readers'];
      },
    ],
    ['the value of a variable', (draft) => Object.assign(draft.inputs.set, { build: '7' })],
    ['the value of the environment', (draft) => Object.assign(draft.inputs.env, { BUILD: '7' })],
    ['a missing file', (draft) => draft.inputs.files.pop()],
    ['an extra file', (draft) => draft.inputs.files.push(draft.inputs.files[1])],
    [
      'a step of another name',
      (draft) => Object.assign(stepIn(draft, 'task', 'news'), { name: 'Test send to the team' }),
    ],
    [
      'a step of another time',
      (draft) => Object.assign(stepIn(draft, 'task', 'last'), { time: 1_797_000_000 }),
    ],
    ['a step with a size', (draft) => Object.assign(stepIn(draft, 'task', 'news'), { size: 3, credits: 3 })],
    ['no observations', (draft) => Object.assign(draft, { observed: { items: {}, references: {} } })],
    ['an end in 285 million years', (draft) => Object.assign(draft, { validUntil: Number.MAX_SAFE_INTEGER })],
    ['another service', (draft) => Object.assign(draft, { origin: 'https://api.example.org' })],
    ['another naming', (draft) => Object.assign(draft, { naming: { headerPrefix: 'X-Acme-' } })],
  ])('%s', async (_, change) => {
    await refusedByBoth(await forge(change), { approve: 2, apply: 2 });
  });

  it('is refused with --offline, too', async () => {
    await forge((draft) => Object.assign(itemIn(draft, 'message', 'last').values, { message: 'EVIL' }));
    const run = await svc('approve', 'spring.plan', '--yes', '--identity', ada.path, '--offline');
    expect([run.exitCode, await signatures()]).toEqual([2, []]);
    expect(run.stderr).toContain('message of message last differs between the plan and the files');
  });

  it('has the values that the plan records for its variables', async () => {
    await putCampaignFiles(folder, {
      'spring.yaml': CAMPAIGN_FILES['spring.yaml'].replace('Spring is here', `"\${{ what }} is here"`),
    });
    await plan('--set', 'what=Spring');
    const sha256 = await forge((draft) => Object.assign(draft.inputs.set, { what: 'EVIL' }));
    await refusedByBoth(sha256, { approve: 2, apply: 2 });
    await plan('--set', 'what=Spring');
    await done('approve', 'spring.plan', '--yes', '--identity', ada.path);
  });
});

// A forger can write any steps, but the campaign decides what is done.
describe('a plan whose steps or observations differ from the service: exit 5', () => {
  beforeEach(async () => {
    await putCampaignFiles(folder);
    await done('apply', 'spring.yaml', '--yes');
    await putList(sandbox, { name: 'Team' });
    await putCampaignFiles(folder, {
      'spring.yaml': CAMPAIGN_FILES['spring.yaml'].replace(
        'message: news, list: 1',
        'message: news, list: 2',
      ),
    });
    await plan();
  });

  it('an honest plan leaves the size and credits of a new list open', async () => {
    expect(stepIn(await honest(), 'task', 'news')).toMatchObject({
      action: 'change',
      size: null,
      credits: null,
      changes: [{ attribute: 'list_id', from: '1', to: '2' }],
    });
    const run = await done('approve', 'spring.plan', '--yes', '--identity', ada.path);
    expect(run.stderr).toContain('recipients and credits: known only after the task is created');
  });

  it.each<[string, (draft: Draft) => void]>([
    [
      'a reason',
      (draft) => Object.assign(stepIn(draft, 'task', 'news'), { reason: 'a test send to the team' }),
    ],
    ['no change of the list', (draft) => Object.assign(stepIn(draft, 'task', 'news'), { changes: [] })],
    ['another action', (draft) => Object.assign(stepIn(draft, 'task', 'news'), { action: 'replace' })],
    [
      'the size of a kept item',
      (draft) => Object.assign(stepIn(draft, 'task', 'last'), { size: 0, credits: 0 }),
    ],
    [
      'the hash of the task',
      (draft) => Object.assign(draft.observed.items['task news'][0], { found: '0000000' }),
    ],
    [
      'the mark of the task',
      (draft) => Object.assign(draft.observed.items['task news'][0], { written: '0000000' }),
    ],
    [
      'the hash of a kept message',
      (draft) => Object.assign(draft.observed.items['message news'][0], { found: '0000000' }),
    ],
    ['a record less', (draft) => Object.assign(draft.observed.items, { 'folder all': [] })],
    [
      'a record more',
      (draft) =>
        draft.observed.items['task last'].push({ id: '99', written: 'a', found: 'a', state: 'open' }),
    ],
  ])('%s', async (what, change) => {
    const exit = what === 'a record less' ? 2 : 5;
    await refusedByBoth(await forge(change), { approve: exit, apply: exit });
  });
});

// Contract, "Sends and campaigns, once more": `--adopt KEY=ID` and `--both`.
describe('a plan with flags that were not given, or without its flags', () => {
  const TWIN = '  twin: {name: Twin, message: news, list: 1, at: +2d}\nautomations:';

  // If the edit changes no step, the result is the plan that `svc plan` writes with that flag, and its page says so.
  it.each([
    ['both', '--both       allows tasks and rules that do the same as existing ones'],
    ['overwrite', '--overwrite  overwrites changes that someone made by hand'],
    ['prune', '--prune      cancels or deletes records that are no longer in the file'],
  ])('shows --%s on its page', async (flag, words) => {
    await putCampaignFiles(folder);
    await plan();
    await forge((draft) => Object.assign(draft.inputs.options, { [flag]: true }));
    const run = await done('approve', 'spring.plan', '--yes', '--identity', ada.path);
    expect(run.stderr).toContain(words);
  });

  it('is refused if --both gives steps other than those shown', async () => {
    await putCampaignFiles(folder, {
      'spring.yaml': CAMPAIGN_FILES['spring.yaml'].replace('automations:', TWIN),
    });
    await plan();
    await refusedByBoth(await forge((draft) => Object.assign(draft.inputs.options, { both: true })), {
      approve: 5,
      apply: 5,
    });
    await rm(join(folder, 'spring.plan.ada.sig'));
    await plan('--both');
    await refusedByBoth(await forge((draft) => delete draft.inputs.options.both), { approve: 5, apply: 5 });
  });

  it('shows --adopt on its page, and is refused without it', async () => {
    await putCampaignFiles(folder);
    await done('apply', 'spring.yaml', '--yes');
    const { id } = (await sandbox.rows('task')).find(({ name }) => String(name).startsWith('Last day')) ?? {};
    await sandbox.send('admin', 'PUT', `/v1/task/${id}`, { name: 'Last day' });
    await plan('--adopt', `task:last=${id}`);
    const run = await done('approve', 'spring.plan', '--yes', '--identity', ada.path, '--name', 'ada');
    expect(run.stderr).toContain(`--adopt      "task last" adopts the record ${id}`);
    await rm(join(folder, 'spring.plan.ada.sig'));
    await refusedByBoth(await forge((draft) => delete draft.inputs.options.adopt), { approve: 5, apply: 5 });
  });

  it.each([
    ['a missing item', { 'task other': '1' }, 2],
    ['a folder', { 'folder all': '1' }, 2],
    ['an id of another kind', { 'task news': 'click:1' }, 2],
    ['a rule of another kind', { 'automation readers': 'click:1' }, 2],
    ['a rule without its kind', { 'automation readers': '1' }, 2],
    ['one record for two items', { 'task news': '1', 'task last': '1' }, 2],
    ['an existing record', { 'task news': '1' }, 5],
    ['a missing record', { 'task news': '99' }, 5],
  ])('is refused if --adopt names %s', async (_, adopt, exit) => {
    await putCampaignFiles(folder);
    await plan();
    await refusedByBoth(await forge((draft) => Object.assign(draft.inputs.options, { adopt })), {
      approve: exit,
      apply: exit,
    });
  });
});

describe('a message that others made', () => {
  const yaml = `version: 1
campaign: Spring
tasks:
  news: {name: To all, channel: email, message: Shared, list: 1, at: +2d}
`;
  beforeEach(async () => {
    await putEmail(sandbox, { name: 'Shared', subject: 'From the service' });
    await putCampaignFiles(folder, { 'spring.yaml': yaml });
    await plan();
  });

  it('is shown as the service has it', async () => {
    const run = await done('approve', 'spring.plan', '--yes', '--identity', ada.path);
    expect(run.stderr).toContain('Messages that the plan sends but does not change\n');
    expect(run.stderr).toContain('subject: "From the service"');
  });

  it('is read again, so a plan without its observation is refused', async () => {
    const sha256 = await forge((draft) => Object.assign(draft.observed, { references: {} }));
    await refusedByBoth(sha256, { approve: 2, apply: 2 });
  });

  it('makes apply refuse the plan if it was edited since: exit 5', async () => {
    const { sha256 } = await honest();
    const shared = (await sandbox.rows('email_message')).find(({ name }) => name === 'Shared');
    await sandbox.send('admin', 'PUT', `/v1/emailMessage/${shared?.['id']}`, { subject: 'EVIL' });
    await refusedByBoth(sha256, { approve: 5, apply: 5 });
  });
});

/** Flags that change no step of the plan with random edits. The test `shows --%s on its page` covers them. */
const IDLE_FLAGS: readonly string[] = ['inputs.options.overwrite', 'inputs.options.prune'];

/** Returns the path of every place in the plan that a forger can write to. */
function placesIn(
  value: Json,
  path: readonly (string | number)[] = [],
): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Array.isArray(value)
    ? value.flatMap((each, at) => placesIn(each, [...path, at]))
    : Object.entries(value).flatMap(([name, each]) => placesIn(each, [...path, name]));
  return path.length === 0 ? inner : [...inner, path];
}

it(`refuses all of ${EDITS} random edits with a correct digest from seed ${FIRST}`, {
  timeout: 1e9,
}, async () => {
  const chance = createChance(FIRST);
  await putCampaignFiles(folder);
  await done('apply', 'spring.yaml', '--yes');
  await putList(sandbox, { name: 'Team' });
  const { id } = (await sandbox.rows('task')).find(({ name }) => String(name).startsWith('Last day')) ?? {};
  await sandbox.send('admin', 'PUT', `/v1/task/${id}`, { name: 'Last day' });
  const third = '  third: {name: Third, message: news, list: 1, at: +5d}';
  await putCampaignFiles(folder, {
    'last.txt': 'Another last day\n',
    'spring.yaml': CAMPAIGN_FILES['spring.yaml']
      .replace('message: news, list: 1', 'message: news, list: 2')
      .replace('tasks:', `tasks:\n${third}\n${third.replace('third', 'fourth')}`),
  });
  await plan('--both', '--adopt', `task:last=${id}`);
  const text = await readFile(join(folder, 'spring.plan'), 'utf8');
  await rm(join(folder, 'spring.plan'));
  const faults: string[] = [];
  const before = service.sent.length;
  const kinds: Record<string, number> = {};
  const { zone } = JSON.parse(text).inputs.options;
  for (let count = 0; count < EDITS; count += 1) {
    const draft = JSON.parse(text) as { [name: string]: Json };
    const what = edit(draft);
    // The name of a time zone means the same in capital letters.
    const options = (draft as Draft).inputs?.options;
    if (String(options?.zone).toLowerCase() === zone.toLowerCase()) options.zone = zone;
    // An edit that was reversed leaves the honest plan.
    if (resealed(draft) === text) {
      count -= 1;
      continue;
    }
    await writeFile(join(folder, 'x.plan'), resealed(draft));
    for (const argv of [
      ['approve', 'x.plan', '--yes', '--identity', ada.path],
      ['apply', 'x.plan', '--yes'],
    ]) {
      const run = await svc(...argv);
      kinds[`${argv[0]} ${run.exitCode}`] = (kinds[`${argv[0]} ${run.exitCode}`] ?? 0) + 1;
      if (run.exitCode !== 2 && run.exitCode !== 5) faults.push(`${argv[0]}: ${what}: exit ${run.exitCode}`);
    }
    const signed = await signatures();
    if (signed.length > 0) faults.push(`signed: ${what}`);
    // After one plan was applied, later edits prove nothing.
    if (faults.length > 0) break;
  }
  process.stdout.write(`${JSON.stringify(kinds)}\n`);
  expect(faults).toEqual([]);
  expect(writesIn(service.sent.slice(before))).toEqual([]);
  tried('C1', EDITS);

  /** Changes, removes or duplicates one place. The creation time and `--valid` are excluded, because each author of a plan chooses them. */
  function edit(draft: { [name: string]: Json }): string {
    const { made: _, validUntil: __, sha256: ___, version: ____, ...rest } = draft;
    const places = placesIn(rest as Json).filter((path) => !IDLE_FLAGS.includes(path.join('.')));
    const path = chance.pick(places);
    const name = path.at(-1) as string | number;
    const parent = path.slice(0, -1).reduce<Draft>((value, each) => value[each], draft);
    const old = parent[name] as Json;
    const how = chance.pick(['change', 'change', 'change', 'drop', 'double', 'swap']);
    if (how === 'drop') {
      if (Array.isArray(parent)) parent.splice(Number(name), 1);
      else delete parent[name];
    } else if (how === 'double' && Array.isArray(parent))
      parent.splice(Number(name), 0, structuredClone(old));
    else if (how === 'swap') {
      const other = chance.pick(placesIn(rest as Json));
      parent[name] = structuredClone(other.reduce<Draft>((value, each) => value[each], draft));
    } else parent[name] = changed(old);
    return `${how} ${path.join('.')}: ${JSON.stringify(old)?.slice(0, 80)} → ${JSON.stringify(parent[name])?.slice(0, 80)}`;
  }

  function changed(value: Json): Json {
    if (typeof value === 'string')
      return chance.pick([
        `${value}x`,
        value.slice(1),
        value.replace(/[0-9]/, '7'),
        value.toUpperCase(),
        '',
        '2',
        'locked',
      ]);
    if (typeof value === 'number') return chance.pick([value + 1, Math.max(0, value - 1), 0, String(value)]);
    if (typeof value === 'boolean') return !value;
    if (value === null) return chance.pick([0, '1', false]);
    if (Array.isArray(value)) return value.length === 0 ? ['x'] : [];
    return {};
  }
});
