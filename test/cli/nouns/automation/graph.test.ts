import { beforeEach, describe, expect, it } from 'vitest';
import type { Scalar } from '../../../../src/kit/schema/field.ts';
import type { Values } from '../../../../src/kit/schema/resource.ts';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import { EMAIL } from '../../../support/messages.ts';
import { type Outside, PARTNER, runCli, serviceOf, writesIn } from '../../../support/run-cli.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../../support/sandbox.ts';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox();
  for (const name of ['One', 'Two', 'Three'])
    await sandbox.put('list', { account_id: IDS.company, name, cdate: NOW });
});

async function make(kind: string, more: Values = {}): Promise<string> {
  const action = { actiontype: 'notify', actiontarget: 'office@example.com' };
  const base: Record<string, Scalar> = {
    name: 'Rule',
    summary: null,
    ...(kind === 'sms' ? { keyword: null } : action),
  };
  const answer = await sandbox.send('admin', 'POST', `/v1/${kind}Automation`, { ...base, ...more });
  expect(answer.status, answer.text).toBe(202);
  return `${kind}:${String(answer.data['id'])}`;
}

const move = (from: number, to: number, more: Values = {}): Values => ({
  ...{ list_id: from, actiontype: 'movetolist', actiontarget: String(to) },
  ...{ actiontimediff: 60, actiononweekend: true, ...more },
});

async function email(name: string): Promise<{ id: number; link: number }> {
  const html = '<p><a href="https://example.com/">Here</a></p>';
  const { data } = await sandbox.send('admin', 'POST', '/v1/emailMessage', { ...EMAIL, name, html });
  const links = await sandbox.send('admin', 'GET', `/v1/emailMessageLink?message_id=${String(data['id'])}`);
  return { id: Number(data['id']), link: Number(links.list[0]?.['id']) };
}

async function graph(...more: string[]) {
  const { transport, sent } = serviceOf(sandbox);
  const run = await runCli(['automation', 'graph', '--format', 'json', ...more], { transport });
  return { ...run, sent, value: JSON.parse(run.stdout) };
}

const text = (outside: Outside = {}, ...more: string[]) =>
  runCli(['automation', 'graph', ...more], { transport: serviceOf(sandbox).transport, ...outside });

/** Contract, "Insight": `{"nodes":[…],"edges":[…],"loops":[["subscription:1","subscription:2"]]}`. */
describe('a graph as JSON', () => {
  it('has lists, rules and messages, the edges, and the loop', async () => {
    await make('subscription', move(1, 2, { name: 'There' }));
    await make('subscription', move(2, 1, { name: 'Back' }));
    const { value, exitCode } = await graph();
    expect(exitCode).toBe(0);
    const rule = { kind: 'subscription', paused: false, actiontype: 'movetolist' };
    expect(value).toEqual({
      nodes: [
        { id: 'list:1', kind: 'list', name: null },
        { id: 'subscription:1', name: 'There', ...rule, actiontarget: '2' },
        { id: 'list:2', kind: 'list', name: null },
        { id: 'subscription:2', name: 'Back', ...rule, actiontarget: '1' },
      ],
      edges: [
        { from: 'list:1', to: 'subscription:1', kind: 'subscription', loop: true },
        { from: 'subscription:1', to: 'list:2', kind: 'movetolist', loop: true },
        { from: 'list:2', to: 'subscription:2', kind: 'subscription', loop: true },
        { from: 'subscription:2', to: 'list:1', kind: 'movetolist', loop: true },
      ],
      loops: [['subscription:1', 'subscription:2']],
    });
  });

  it('is the same with -o json', async () => {
    await make('date');
    const run = await text({}, '-o', 'json');
    expect(JSON.parse(run.stdout)).toEqual((await graph()).value);
  });

  it('has the actions of every kind', async () => {
    const { id, link } = await email('Welcome');
    await sandbox.put('sms_message', {
      ...{ account_id: IDS.company, user_id: IDS.admin, name: 'Text', fromname: 'Shop', message: 'Hi' },
      ...{ cdate: NOW, mdate: NOW },
    });
    await make('click', { link_id: link, message_id: null });
    await make('open', { message_id: id, actiontype: 'sms_autoresponder', actiontarget: '1' });
    await make('subscription', move(1, 0, { actiontype: 'removefromlist' }));
    await make('date', { actiontype: 'email_autoresponder', actiontarget: String(id) });
    await make('sms', { list_id: 1, email_list_id: 2, message_id: 1 });
    const { value } = await graph();
    const edges = value.edges.map(({ from, to, kind }: Record<string, string>) => `${from} ${kind} ${to}`);
    expect(edges).toEqual([
      `email:${id} click click:1`,
      `email:${id} open open:1`,
      'open:1 sms_autoresponder sms-message:1',
      'list:1 subscription subscription:1',
      'subscription:1 removefromlist list:1',
      `date:1 email_autoresponder email:${id}`,
      'sms:1 addtolist list:1',
      'sms:1 addtolist list:2',
      'sms:1 sms_autoresponder sms-message:1',
    ]);
    expect(value.loops).toEqual([]);
    expect(value.nodes).toContainEqual({ id: `email:${id}`, kind: 'email', name: 'Welcome' });
    expect(value.nodes).toContainEqual({ id: 'sms-message:1', kind: 'sms-message', name: 'Text' });
  });
});

describe('a deleted message', () => {
  it('is marked in text, and has no name in JSON', async () => {
    const { id } = await email('Welcome');
    await make('open', { message_id: id });
    await sandbox.send('admin', 'DELETE', `/v1/emailMessage/${id}`);
    expect((await text({ tty: true })).stdout).toContain(`E-mail message ${id} (deleted): open or click`);
    expect((await text({}, '--format', 'mermaid')).stdout).toContain(`${id} #40;deleted#41;`);
    expect((await graph()).value.nodes).toContainEqual({ id: `email:${id}`, kind: 'email', name: null });
  });
});

describe('loops', () => {
  it('"a path through a message (an autoresponder whose link triggers a click rule) counts"', async () => {
    const first = await email('First');
    const second = await email('Second');
    const answer = (id: number): Values => ({ actiontype: 'email_autoresponder', actiontarget: String(id) });
    await make('click', { link_id: first.link, message_id: null, ...answer(second.id) });
    await make('open', { message_id: second.id, ...answer(first.id) });
    expect(await graph('--check')).toMatchObject({ exitCode: 11, value: { loops: [['click:1', 'open:1']] } });
  });

  it('include a loop of a single rule through the message that it sends', async () => {
    const { id } = await email('Again');
    await make('open', { message_id: id, actiontype: 'email_autoresponder', actiontarget: String(id) });
    expect(await graph('--check')).toMatchObject({ exitCode: 11, value: { loops: [['open:1']] } });
  });

  it('"with a paused rule is listed with "paused":true and does not fail --check"', async () => {
    await make('subscription', move(1, 2));
    await make('subscription', move(2, 1, { paused: true }));
    const { value, exitCode } = await graph('--check');
    expect({ loops: value.loops, exitCode }).toEqual({
      loops: [{ rules: ['subscription:1', 'subscription:2'], paused: true }],
      exitCode: 0,
    });
    expect(value.edges.filter(({ loop }: { loop: boolean }) => loop)).toEqual([]);
  });

  it('come once each, with the endless loops first', async () => {
    await make('subscription', move(1, 2, { paused: true }));
    await make('subscription', move(2, 1));
    await make('subscription', move(2, 3));
    await make('subscription', move(3, 2));
    expect((await graph('--check')).value.loops).toEqual([
      ['subscription:3', 'subscription:4'],
      { rules: ['subscription:1', 'subscription:2', 'subscription:3', 'subscription:4'], paused: true },
    ]);
  });

  it('do not continue through an action that removes people from a list', async () => {
    await make('subscription', move(1, 0, { actiontype: 'removefromlist' }));
    expect(await graph('--check')).toMatchObject({ exitCode: 0, value: { loops: [] } });
  });
});

describe('a graph as text', () => {
  it('fits 80 columns, names messages, and marks loops', async () => {
    const { id } = await email('Newsletter of the shop with a rather long name');
    await make('open', { message_id: id, name: 'A rule with a name that is long \u001b[2J', paused: true });
    await make(
      'subscription',
      move(1, 2, { actionhour: '09:00:00', actiontimediff: 1440, actiononweekend: false }),
    );
    await make('subscription', move(2, 1));
    const run = await text({ tty: true, columns: 80 });
    const plain = run.stdout.replaceAll(/\u001b\[[0-9;]*m/g, '');
    expect(plain.split('\n').every((line) => line.length <= 80)).toBe(true);
    expect(plain).not.toContain('\u001b');
    expect(plain).toContain('3 rules, 1 of them paused\n');
    expect(plain).toContain('E-mail message 1 (Newsletter of the shop with a rather lo…): open or click\n');
    expect(plain).toContain(
      '\nA subscription to list 1\n  subscription:1 Rule\n      1 day later, at 09:00, not at weekends, move to list 2; LOOP\n',
    );
    expect(plain).toContain('\n1 loop\n  - subscription:1 → subscription:2 → subscription:1\n');
  });

  it('says what a link of a deleted message triggers', async () => {
    const { id, link } = await email('Gone');
    await make('click', { link_id: link, message_id: null });
    await sandbox.service.store.db.run(sql`delete from email_message_link where id = ${link}`);
    expect((await text()).stdout).toContain(`A click on link ${link} (unknown message)\n`);
    expect(id).toBeGreaterThan(0);
  });

  it('prints a line on stderr for an account without rules', async () => {
    expect(await text()).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'There are no automation rules.\n',
    });
    expect((await graph()).value).toEqual({ nodes: [], edges: [], loops: [] });
  });
});

describe('a graph as Mermaid', () => {
  it('escapes every character of a label that Mermaid, Markdown or HTML would interpret', async () => {
    await make('subscription', move(1, 2, { name: '"]; click n0 `x` <b>&#35; é\n%%' }));
    await make('subscription', move(2, 1, { paused: true }));
    const { stdout } = await text({}, '--format', 'mermaid');
    expect(stdout).toBe(
      [
        'flowchart LR',
        '  n0[("list 1")]',
        '  n1["subscription:1<br/>#34;#93;#59; click n0 #96;x#96; #60;b#62;#38;#35;35#59; é #37;#37;"]',
        '  n2[("list 2")]',
        '  n3["subscription:2<br/>Rule<br/>paused"]:::paused',
        '  n0 -->|subscription| n1',
        '  n1 -->|movetolist| n2',
        '  n2 -->|subscription| n3',
        '  n3 -->|movetolist| n0',
        '  classDef paused stroke-dasharray: 5 5,opacity:0.6',
        '',
      ].join('\n'),
    );
  });

  it('marks loops', async () => {
    await make('subscription', move(1, 2));
    await make('subscription', move(2, 1));
    expect((await text({}, '--format', 'mermaid')).stdout).toContain('  linkStyle 0,1,2,3 stroke:');
  });
});

describe('a sequence of a campaign', () => {
  const step = (key: string, minutes: number, more: Values = {}): Promise<string> =>
    make('subscription', {
      ...{ name: `Welcome, step ${key}`, list_id: 1, actiontype: 'email_autoresponder', actiontarget: '1' },
      ...(minutes === 0 ? {} : { actiontimediff: minutes, actiononweekend: true }),
      ...more,
    });
  beforeEach(async () => {
    await email('Hello');
    await step('late', 3 * 1440, { paused: true });
    await step('1', 0);
    // None of these is part of it: another list, another action, and a rule that apply has replaced.
    await step('2', 0, { list_id: 2 });
    await step('3', 60, { actiontype: 'notify', actiontarget: 'office@example.com' });
    await step('1', 60, { name: 'Welcome, step 1 [svc-aaaaaa-bbbbb-x]', paused: true });
  });

  it('is one item with a line for each step', async () => {
    const { stdout } = await text({}, '--format', 'text');
    expect(stdout).toContain(
      '  sequence Welcome\n      2 steps\n  - step 1, subscription:2: send e-mail message 1 (Hello)\n  - step late, subscription:1: 3 days later, send e-mail message 1 (Hello);\n    paused\n',
    );
    expect(stdout).toContain('  subscription:3 Welcome, step 2\n');
    expect(stdout).toContain('  subscription:4 Welcome, step 3\n');
  });

  it('is a box in Mermaid, and its rules name it in JSON', async () => {
    const { stdout } = await text({}, '--format', 'mermaid');
    const [, early, late] = /subgraph s0\["Welcome"\]\n {4}(n\d)\n {4}(n\d)\n {2}end\n/.exec(stdout) ?? [];
    expect(stdout).toContain(`  ${early}["subscription:2`);
    expect(stdout).toContain(`  ${late}["subscription:1`);
    const { value } = await graph();
    const own = value.nodes.filter((node: object) => 'sequence' in node);
    expect(own.map(({ id, sequence, step: key }: Values) => [id, sequence, key])).toEqual([
      ['subscription:1', 'Welcome', 'late'],
      ['subscription:2', 'Welcome', '1'],
    ]);
  });
});

it('requests each kind once, each link once, and writes nothing', async () => {
  const { id, link } = await email('Links');
  for (let count = 0; count < 30; count += 1)
    await make('click', {
      link_id: link,
      message_id: null,
      actiontype: 'email_autoresponder',
      actiontarget: String(id),
    });
  const { sent } = await graph();
  const paths = sent.map(({ path }) => path).sort();
  expect(paths).toEqual(
    [
      ...['click', 'open', 'subscription', 'date', 'sms'].map((kind) => `/v1/${kind}Automation`),
      ...[`/v1/emailMessageLink/${link}`, `/v1/emailMessage/${id}`],
    ].sort(),
  );
  expect(writesIn(sent)).toEqual([]);
});

it('prints a row for each of many companies, as simulate does', async () => {
  const date = await make('date', { actiontimediff: 60, actiononweekend: true });
  const { transport } = serviceOf(sandbox);
  const env = { ...PARTNER, SVC_COMPANY_ID: undefined };
  const run = (...words: string[]) =>
    runCli(['automation', ...words, '--companies', '1', '-o', 'json'], { transport, env });
  expect(JSON.parse((await run('graph')).stdout)).toMatchObject([
    { company_id: 1, company: 'Company', nodes: [{ id: date }], edges: [], loops: [] },
  ]);
  const rows = JSON.parse((await run('simulate', date, '--at', String(NOW))).stdout);
  expect(rows).toMatchObject([{ company_id: 1, company: 'Company', time: NOW + 60, action: 'notify' }]);
});

it('exits with 2 for an unknown format', async () => {
  const run = await text({}, '--format', 'dot');
  expect(run).toMatchObject({ exitCode: 2, stdout: '' });
  expect(run.stderr).toContain('formats: text, mermaid, json');
});
