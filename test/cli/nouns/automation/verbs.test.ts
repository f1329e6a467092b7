import { describe, expect, it } from 'vitest';
import { openDemoService } from '../../../support/demo-service.ts';
import { withEverything } from '../../../support/everything.ts';
import { runCli, serviceOf, writesIn } from '../../../support/run-cli.ts';

const service = async () => serviceOf(await withEverything());

// Contract, "Flags for attributes": references take an id or an exact name. Interface, "Automation rules" 10: the target of a removal is 0.
describe('the target of an action', () => {
  const create = async (line: string, more: readonly string[] = []) => {
    const demo = await openDemoService();
    const bodies: unknown[] = [];
    const run = await runCli([...`automation create --name R ${line}`.split(' '), ...more], {
      transport: (request) => {
        if (request.method === 'POST') bodies.push(JSON.parse(request.body ?? ''));
        return demo.transport(request);
      },
      env: demo.admin,
    });
    return { ...run, bodies };
  };

  it.each([
    ['--kind click --link 4 --action autoresponder', 'Welcome', '3'],
    ['--kind subscription --list 1 --action autoresponder', 'Welcome', '3'],
    ['--kind open --message 1 --action sms-autoresponder', 'Seat saved', '2'],
    ['--kind open --message 1 --action sms-autoresponder', '2', '2'],
  ])('is the exact name or the id of a message: %s --target %s', async (line, name, id) => {
    const { exitCode, stderr, bodies } = await create(line, ['--target', name]);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('made automation')]);
    expect(bodies).toMatchObject([{ actiontarget: id }]);
  });

  it.each([
    ['--kind click --link 4 --action autoresponder', 'Nothing', 4, 'email "Nothing" not found'],
    ['--kind click --link 4 --action autoresponder', '', 2, 'must be an id for email_autoresponder'],
    ['--kind click --link 4 --action sms-autoresponder', 'Welcome', 4, 'sms-message "Welcome" not found'],
    [
      '--kind open --message 1 --action add-to-list --after 1d --weekends',
      'Club',
      2,
      'must be an id for addtolist',
    ],
  ])('is refused with nothing sent: %s --target %j', async (line, name, exit, words) => {
    const { exitCode, stderr, bodies } = await create(line, ['--target', name]);
    expect([exitCode, bodies]).toEqual([exit, []]);
    expect(stderr).toContain(words);
  });

  it('is not needed for remove-from-list, and is 0', async () => {
    const line = '--kind subscription --list 1 --action remove-from-list --after 2d --weekends';
    expect((await create(line)).bodies).toMatchObject([{ actiontype: 'removefromlist', actiontarget: '0' }]);
    const wrong = await create(line, ['--target', '7']);
    expect([wrong.exitCode, wrong.bodies]).toEqual([2, []]);
    expect(wrong.stderr).toContain('must be 0 for removefromlist');
  });
});

// Contract, "The same send under two keys": "Without `--key`, `task create` and `automation create` only warn, as `automation resume RULE` does".
describe('a second rule that does the same', () => {
  const line =
    'automation create --kind subscription --list 1 --action autoresponder --target 3 --after 2h --weekends --name';
  const open = async () => {
    const demo = await openDemoService();
    const run = (words: string, transport = demo.transport) =>
      runCli(words.split(' '), { transport, env: demo.admin });
    const made = await run(`${line} First -o id`);
    expect(made).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('Careful') });
    return { demo, run, first: idOf(made) };
  };
  const idOf = ({ stdout }: { readonly stdout: string }): string =>
    `subscription:${stdout.trim().replace('subscription:', '')}`;
  const careful = (id: string): string =>
    `Careful: an active rule has the same trigger, action, target and delay, so both act for the same people:\n      automation ${id} (First)`;

  it('is made with a warning that names the first', async () => {
    const { run, first } = await open();
    const second = await run(`${line} Second`);
    expect(second).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(careful(first)) });
  });

  it.each([
    ['has another delay', `${line.replace('2h', '3h')} Second`],
    ['has another target', `${line.replace('--target 3', '--target 1')} Second`],
    ['is paused', `${line} Second --paused`],
    ['is not looked at, with --no-validate', `${line} Second --no-validate`],
  ])('is made without a warning if it %s', async (_, words) => {
    const { run } = await open();
    const second = await run(words);
    expect(second).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('Careful') });
  });

  it('is resumed with the warning, and alone without it', async () => {
    const { run, first } = await open();
    const paused = await run(`${line} Second --paused -o id`);
    const second = `subscription:${paused.stdout.trim().replace('subscription:', '')}`;
    expect((await run(`automation resume ${second}`)).stderr).toContain(careful(first));
    await run(`automation pause ${first}`);
    await run(`automation pause ${second}`);
    expect((await run(`automation resume ${second}`)).stderr).not.toContain('Careful');
  });

  // Contract: "A change of a rule or task, and `resume --all` and `--from`, warn in the same way".
  it.each([
    ['--after 2h', true],
    ['--after 2h --paused', false],
    ['--after 4h', false],
    ['--name Third', false],
  ])('is warned of when an update makes it so: update %s', async (change, isTold) => {
    const { run, first } = await open();
    const second = idOf(await run(`${line.replace('2h', '3h')} Second -o id`));
    const changed = await run(`automation update ${second} ${change}`);
    expect(changed.exitCode).toBe(0);
    expect(changed.stderr.includes(careful(first))).toBe(isTold);
  });

  it('is warned of when an update resumes it, and not again when its name changes', async () => {
    const { run, first } = await open();
    const second = idOf(await run(`${line} Second --paused -o id`));
    expect((await run(`automation update ${second} --paused false`)).stderr).toContain(careful(first));
    expect((await run(`automation update ${second} --name Other`)).stderr).not.toContain('Careful');
  });

  it.each([
    ['both are paused', true],
    ['one is active', false],
  ])('is warned of when all rules are resumed: %s', async (_, isFirstPaused) => {
    const { run, first } = await open();
    const second = idOf(await run(`${line} Second --paused -o id`));
    await run(`${line.replace('2h', '5h')} Third --paused`);
    if (isFirstPaused) await run(`automation pause ${first}`);
    const { exitCode, stderr } = await run('automation resume --all --yes');
    const titles = [`automation ${first} (First)`, `automation ${second} (Second)`];
    const [one, other] = isFirstPaused ? titles : titles.toReversed();
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`so both act for the same people:\n      ${one} and ${other}\n`);
    expect(stderr).not.toContain('Third');
  });

  it('is made if the answer is unknown, which svc says', async () => {
    const { demo, run } = await open();
    let looks = 0;
    const second = await run(`${line} Second`, async (request, signal) => {
      const isLook = request.method === 'GET' && request.path === '/v1/subscriptionAutomation';
      if (isLook) looks += 1;
      // The second look belongs to the POST.
      return isLook && looks === 1 ? { status: 500, headers: {}, body: '' } : demo.transport(request, signal);
    });
    expect(second.exitCode).toBe(0);
    expect(second.stderr).toContain('cannot check whether another active rule does the same: ');
  });
});

/** Contract, "Nouns and verbs": the reference to an automation. */
describe('the reference to a rule', () => {
  it.each([
    ['by kind and id', ['open:1'], 'openAutomation'],
    ['by an id with --kind', ['1', '--kind', 'open'], 'openAutomation'],
    ['by its name with --kind', ['Rule', '--kind', 'date'], 'dateAutomation'],
  ])('%s', async (_, words, resource) => {
    const { transport, sent } = await service();
    const run = await runCli(['automation', 'get', ...words, '-o', 'json'], { transport });
    expect(JSON.parse(run.stdout)).toMatchObject({ id: 1, name: 'Rule' });
    expect(new Set(sent.map(({ path }) => path.split('/')[2]))).toEqual(new Set([resource]));
  });

  it('lists the rules with a bare id that several kinds have', async () => {
    const { transport, sent } = await service();
    for (const word of ['1', 'Rule']) {
      const run = await runCli(['automation', 'pause', word], { transport });
      expect(run).toMatchObject({ exitCode: 2, stdout: '' });
      expect(run.stderr).toContain('click:1, open:1, subscription:1, date:1, sms:1');
    }
    expect(writesIn(sent)).toEqual([]);
  });

  it('may be a bare id that only one kind has', async () => {
    const { transport } = await service();
    await runCli(
      ['automation', 'create', '--kind', 'sms', '--name', 'Two', '--keyword', 'X', '--list', '1'],
      { transport },
    );
    const run = await runCli(['automation', 'get', '2', '-o', 'json'], { transport });
    expect(JSON.parse(run.stdout)).toMatchObject({ id: 2, keyword: 'X' });
  });

  it.each([
    ['clock:1', 2, 'unknown kind clock'],
    ['click:99', 4, 'automation click:99 not found'],
    ['99', 4, 'automation 99 not found'],
    ['open:1 --kind date', 2, 'is not a rule of kind'],
    ['1 --kind clock', 2, 'kinds: click, open, subscription, date, sms'],
  ])('is wrong as %s: exit %i', async (words, exitCode, message) => {
    const { transport } = await service();
    const run = await runCli(['automation', 'get', ...words.split(' ')], { transport });
    expect(run).toMatchObject({ exitCode, stdout: '' });
    expect(run.stderr).toContain(message);
  });
});

describe('svc automation list', () => {
  // Contract, "Output": "`--reverse` alone reverses the default order", which is by kind first.
  it('turns kinds and ids with --reverse', async () => {
    const { transport } = await service();
    const ids = async (...flags: string[]) =>
      (await runCli(['automation', 'list', ...flags, '-o', 'json'], { transport })).stdout;
    const rows = JSON.parse(await ids());
    expect(rows.length).toBeGreaterThan(4);
    expect(JSON.parse(await ids('--reverse'))).toEqual(rows.toReversed());
  });

  it('shows all kinds in one table, each id with its kind', async () => {
    const { transport } = await service();
    const run = await runCli(['automation', 'list', '--fields', 'kind,id,name'], { transport });
    expect(run.stdout).toBe(
      [
        'KIND          ID              NAME',
        'click         click:1         Rule',
        'open          open:1          Rule',
        'subscription  subscription:1  Rule',
        'date          date:1          Rule',
        'sms           sms:1           Rule',
        '',
      ].join('\n'),
    );
    expect((await runCli(['automation', 'list', '-o', 'id'], { transport })).stdout).toContain('sms:1\n');
  });

  it('prints an id as a number in JSON', async () => {
    const { transport } = await service();
    const run = await runCli(['automation', 'list', '--kind', 'click', '-o', 'json'], { transport });
    expect(JSON.parse(run.stdout)).toMatchObject([{ id: 1, link_id: null, message_id: 2 }]);
    const all = JSON.parse((await runCli(['automation', 'list', '-o', 'json'], { transport })).stdout);
    expect(all.map((row: { kind: string; id: number }) => [row.kind, row.id])).toEqual(
      ['click', 'open', 'subscription', 'date', 'sms'].map((kind) => [kind, 1]),
    );
  });

  it('filters by attribute; a kind without the attribute has no matches', async () => {
    const { transport, sent } = await service();
    await runCli(['automation', 'pause', 'date:1'], { transport });
    const paused = await runCli(['automation', 'list', '--paused', '-o', 'id'], { transport });
    expect(paused.stdout).toBe('date:1\n');
    const weekend = await runCli(['automation', 'list', '--actiononweekend', '-o', 'id'], { transport });
    expect(weekend.stdout.split('\n')).not.toContain('sms:1');
    expect(
      sent.filter(({ query }) => query.includes('actiononweekend')).map(({ path }) => path),
    ).not.toContain('/v1/smsAutomation');
  });

  it('sorts over all kinds, and --limit counts all of them', async () => {
    const { transport } = await service();
    await runCli(['automation', 'update', 'sms:1', '--name', 'A'], { transport });
    await runCli(['automation', 'update', 'open:1', '--name', 'Z'], { transport });
    const list = ['automation', 'list', '--sort', 'name', '-o', 'id'];
    expect((await runCli([...list, '--limit', '1'], { transport })).stdout).toBe('sms:1\n');
    expect((await runCli([...list, '--reverse', '--limit', '1'], { transport })).stdout).toBe('open:1\n');
  });
});

it('pause and resume change only paused', async () => {
  const sandbox = await withEverything();
  const { transport, sent } = serviceOf(sandbox);
  const paused = await runCli(['automation', 'pause', 'click:1', '-o', 'json'], { transport });
  expect(JSON.parse(paused.stdout)).toMatchObject({ paused: true });
  const resumed = await runCli(['automation', 'resume', 'click:1', '-o', 'json'], { transport });
  expect(JSON.parse(resumed.stdout)).toMatchObject({ paused: false });
  expect(sent.filter(({ method }) => method === 'PUT').map(({ body }) => body)).toEqual([
    '{"paused":true}',
    '{"paused":false}',
  ]);
});

it('rejects an attribute of another kind, and names the kinds that have it', async () => {
  const create = ['automation', 'create', '--kind', 'open', '--name', 'R', '--message', '2'];
  const run = await runCli([...create, '--keyword', 'X']);
  expect(run).toMatchObject({ exitCode: 2, stdout: '' });
  expect(run.stderr).toBe('svc: a rule of kind open has no --keyword\nHint: --keyword works with kind sms\n');
});
