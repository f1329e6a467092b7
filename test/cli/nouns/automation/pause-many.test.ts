import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../../../src/client/requests/errors.ts';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import type { Transport } from '../../../../src/service/protocol/wire.ts';
import { withEverything } from '../../../support/everything.ts';
import { type Outside, PARTNER, type Run, runCli, serviceOf, writesIn } from '../../../support/run-cli.ts';
import { IDS, NOW, type TestSandbox } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

const KINDS = ['click', 'open', 'subscription', 'date', 'sms'] as const;

let sandbox: TestSandbox;
let folder: string;
let state: string;
beforeEach(async () => {
  sandbox = await withEverything();
  folder = await makeTemporaryFolder('pause');
  state = join(folder, 'state');
  // Someone paused one of the rules earlier.
  await pauseByHand('open');
});
afterEach(() => rm(folder, { recursive: true }));

const pauseByHand = (kind: string, paused = true) =>
  sandbox.send('admin', 'PUT', `/v1/${kind}Automation/1`, { paused });

/** Returns the kinds whose rule is paused. */
async function paused(): Promise<readonly string[]> {
  const rows = await Promise.all(
    KINDS.map(async (kind) => [
      kind,
      (await sandbox.send('admin', 'GET', `/v1/${kind}Automation/1`)).data['paused'],
    ]),
  );
  return rows.filter(([, is]) => is === true).map(([kind]) => String(kind));
}

const svc = (words: string, outside: Outside = {}): Promise<Run> =>
  runCli(['automation', ...words.split(' ')], {
    transport: serviceOf(sandbox).transport,
    cwd: folder,
    ...outside,
    env: { SVC_STATE_DIR: state, ...outside.env },
  });

const records = (): readonly string[] =>
  readdirSync(join(state, 'journal')).filter((name) => name.startsWith('paused-'));

/** Returns the same service, but runs `work` before each PUT. */
function beforePut(work: (count: number) => Promise<void> | void): Transport {
  const { transport } = serviceOf(sandbox);
  let count = 0;
  return async (request, signal) => {
    if (request.method === 'PUT') {
      count += 1;
      await work(count);
    }
    return transport(request, signal);
  };
}

/** Contract, "Insight": `automation resume --from FILE` resumes exactly the rules that were paused. */
describe('pause and resume with --all', () => {
  it('resumes the rules that it paused, and none that were paused before', async () => {
    const run = await svc('pause --all --yes --record off.ndjson -o json');
    expect(run).toMatchObject({ exitCode: 0 });
    expect(
      JSON.parse(run.stdout).map(({ kind, id, paused: is }: Record<string, unknown>) => [kind, id, is]),
    ).toEqual(['click', 'subscription', 'date', 'sms'].map((kind) => [kind, 1, true]));
    expect(run.stderr).toBe(
      'To resume them: svc undo\nLater, give this file to svc automation resume --from:\noff.ndjson\npaused 4 rules\n',
    );
    expect(await paused()).toEqual([...KINDS]);
    expect(await svc('resume --from off.ndjson --yes')).toMatchObject({
      exitCode: 0,
      stderr: 'resumed 4 rules\n',
    });
    expect(await paused()).toEqual(['open']);
  });

  it('write the record to a file of this user next to the journal, unless another is given', async () => {
    const run = await svc('pause --all --yes');
    const [name = ''] = records();
    const path = join(state, 'journal', name);
    expect(run.stderr).toContain(
      `To resume them: svc undo\nLater, give this file to svc automation resume --from:\n${path}\n`,
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await svc(`resume --from ${path} --yes`)).toMatchObject({ exitCode: 0 });
    expect(await paused()).toEqual(['open']);
  });

  it('can be limited to one kind', async () => {
    await svc('pause --kind click --yes --record off.ndjson');
    expect(await paused()).toEqual(['click', 'open']);
    await svc('resume --kind click --yes');
    expect(await paused()).toEqual(['open']);
  });

  it('says how to resume them with the flags of the account, because another one may have the last change', async () => {
    const env = { SVC_STATE_DIR: state, SVC_BASE_URL: 'https://api.example.com', ...PARTNER };
    for (const flags of ['--company 1', '--companies 1 --write']) {
      const run = await svc(`pause --kind click --yes ${flags}`, { env });
      expect(run.stderr).toContain('To resume them: svc undo --company 1\n');
      const [, command = ''] = /To resume them: svc (.*)$/m.exec(run.stderr) ?? [];
      const undone = await runCli([...command.split(' '), '--yes'], {
        ...{ transport: serviceOf(sandbox).transport, cwd: folder, env },
      });
      expect([undone.exitCode, await paused()]).toEqual([0, ['open']]);
    }
  });

  it('resume every paused rule if there is no record', async () => {
    await svc('pause --all --yes');
    expect(await svc('resume --all --yes')).toMatchObject({ exitCode: 0 });
    expect(await paused()).toEqual([]);
  });

  it('add each write to the journal, and svc undo undoes one', async () => {
    await svc('pause --kind click --yes');
    const env = { SVC_STATE_DIR: state };
    const run = await runCli(['undo', '--yes'], { transport: serviceOf(sandbox).transport, env });
    expect(run).toMatchObject({ exitCode: 0 });
    expect(await paused()).toEqual(['open']);
  });

  it('change nothing if no rule is active', async () => {
    await svc('pause --all --yes');
    const run = await svc('pause --all --yes');
    expect(run).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'No rule is active. Nothing was paused.\n',
    });
    expect(records()).toHaveLength(1);
  });

  it('pause in each company with --companies, with a record for each', async () => {
    const transport = serviceOf(sandbox).transport;
    const config = join(folder, 'config');
    const env = { ...PARTNER, SVC_COMPANY_ID: undefined, SVC_CONFIG_DIR: config, SVC_STATE_DIR: state };
    const run = await runCli(['automation', 'pause', '--all', '--companies', '1,2', '--write', '--yes'], {
      transport,
      env,
    });
    expect(run.exitCode, run.stderr).toBe(0);
    expect(await paused()).toEqual([...KINDS]);
    expect(records()).toHaveLength(1);
  });
});

describe('the question names the number of rules', () => {
  it('is asked on a terminal', async () => {
    const run = await svc('pause --all', { tty: true, answers: [false] });
    expect(run).toMatchObject({ exitCode: 2 });
    expect(run.questions).toEqual([
      expect.stringContaining('Really pause 4 rules (1 click, 1 subscription, 1 date, 1 sms), of Company'),
    ]);
    expect(await paused()).toEqual(['open']);
  });

  it('is also asked by resume --from', async () => {
    await svc('pause --all --yes --record off.ndjson');
    const run = await svc('resume --from off.ndjson', { tty: true, answers: [true] });
    expect(run.questions).toEqual([
      expect.stringContaining('Really resume 4 rules (1 click, 1 subscription,'),
    ]);
    expect(await paused()).toEqual(['open']);
  });

  it.each(['pause --all', 'pause --kind sms', 'resume --all'])(
    '%s needs --yes without a terminal',
    async (words) => {
      const { transport, sent } = serviceOf(sandbox);
      const run = await svc(words, { transport });
      expect(run).toMatchObject({ exitCode: 2, stdout: '' });
      expect(run.stderr).toContain('needs --yes; nothing was sent');
      expect(sent).toEqual([]);
    },
  );

  it('--dry-run shows each request, and writes no record', async () => {
    const run = await svc('pause --all --record off.ndjson --dry-run -o json');
    expect(run.exitCode).toBe(0);
    expect(run.stdout.match(/"PUT"/g)).toHaveLength(4);
    expect(await paused()).toEqual(['open']);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('an interrupted run', () => {
  it('has written the record before the first pause, and each line before its request', async () => {
    const seen: string[][] = [];
    const transport = beforePut(() => {
      const lines = readFileSync(join(folder, 'off.ndjson'), 'utf8').trimEnd().split('\n').slice(1);
      seen.push(lines.map((line) => JSON.parse(line)).map(({ kind, state: is }) => `${kind} ${is}`));
    });
    await svc('pause --all --yes --record off.ndjson', { transport });
    const listed = ['click', 'subscription', 'date', 'sms'].map((kind) => `${kind} listed`);
    expect(seen[0]).toEqual([...listed, 'click begun']);
    expect(seen[1]).toEqual([...listed, 'click begun', 'click paused', 'subscription begun']);
  });

  it('is undone for the rules that it paused, and rules that others paused since stay paused', async () => {
    const transport: Transport = async (request, signal) => {
      if (request.method === 'PUT' && request.path.includes('date'))
        throw new TransportError('not-sent', 'the network is gone', { isFinal: true });
      return serviceOf(sandbox).transport(request, signal);
    };
    const run = await svc('pause --all --yes --record off.ndjson', { transport });
    expect(run.exitCode).toBe(7);
    expect(run.stderr).toContain('stopped at date:1; not paused: sms:1\n');
    expect(await paused()).toEqual(['click', 'open', 'subscription']);
    await pauseByHand('sms');
    await svc('resume --from off.ndjson --yes');
    expect(await paused()).toEqual(['open', 'sms']);
  });

  it('is undone for a rule whose pause got no response', async () => {
    let isCut = false;
    const transport: Transport = async (request, signal) => {
      if (isCut) throw new TransportError('not-sent', 'the process is gone', { isFinal: true });
      const answer = await serviceOf(sandbox).transport(request, signal);
      if (request.method !== 'PUT') return answer;
      isCut = true;
      throw new TransportError('unknown', 'the process is gone', { isFinal: true });
    };
    await svc('pause --all --yes --record off.ndjson', { transport });
    expect(await paused()).toEqual(['click', 'open']);
    await svc('resume --from off.ndjson --yes');
    expect(await paused()).toEqual(['open']);
  });

  it('may leave a truncated last line, which is ignored', async () => {
    await svc('pause --all --yes --record off.ndjson');
    const path = join(folder, 'off.ndjson');
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, -9));
    await svc('resume --from off.ndjson --yes');
    expect(await paused()).toEqual(['open']);
    // The record now says that click was resumed, although the line before was truncated.
    await pauseByHand('click');
    await svc('resume --from off.ndjson --yes');
    expect(await paused()).toEqual(['click', 'open']);
  });

  it('leaves a record that resumes nothing that was paused after the record was used', async () => {
    await svc('pause --all --yes --record off.ndjson');
    await svc('resume --from off.ndjson --yes');
    await pauseByHand('click');
    const run = await svc('resume --from off.ndjson --yes');
    expect(run).toMatchObject({ exitCode: 0, stdout: '' });
    expect(run.stderr).toContain('Nothing was resumed');
    expect(await paused()).toEqual(['click', 'open']);
  });

  it('does not include rules that someone else paused in the meantime', async () => {
    const transport = beforePut(async (count) => {
      if (count === 1) await pauseByHand('sms');
    });
    const run = await svc('pause --all --yes --record off.ndjson', { transport });
    expect(run.stderr).toContain('automation sms:1 (Rule) is already paused\n');
    await svc('resume --from off.ndjson --yes');
    expect(await paused()).toEqual(['open', 'sms']);
  });
});

/** Contract, "Output": 8, a batch in which some items failed. Interface, "Errors": 409 subcode 12. */
describe('partial failure', () => {
  it('names the rules that cannot be resumed, resumes the others, and exits with 8', async () => {
    const list = await sandbox.put('list', { account_id: IDS.company, name: 'Doomed', cdate: NOW });
    const rule = {
      actiontype: 'notify',
      actiontarget: 'office@example.com',
      name: 'On the list',
      summary: null,
    };
    await sandbox.send('admin', 'POST', '/v1/subscriptionAutomation', { ...rule, list_id: list });
    await svc('pause --all --yes --record off.ndjson');
    await sandbox.service.store.db.run(sql`delete from list where id = ${list}`);
    const run = await svc('resume --from off.ndjson --yes -o id');
    expect(run).toMatchObject({ exitCode: 8, stdout: 'click:1\nsubscription:1\ndate:1\nsms:1\n' });
    expect(run.stderr).toContain('automation subscription:2 (On the list): ');
    expect(run.stderr).toMatch(/Dependent list resource [0-9]+ no longer exists/i);
    expect(await paused()).toEqual(['open']);
  });

  it('names a rule that no longer exists', async () => {
    await svc('pause --all --yes --record off.ndjson');
    await sandbox.send('admin', 'DELETE', '/v1/dateAutomation/1');
    const run = await svc('resume --from off.ndjson --yes -o id');
    expect(run).toMatchObject({ exitCode: 8, stdout: 'click:1\nsubscription:1\nsms:1\n' });
    expect(run.stderr).toContain('automation rule date:1 (Rule) no longer exists and cannot be resumed\n');
  });
});

describe('a rule that cannot be changed', () => {
  // Interface, "Errors", 409 subcode 12: a rule lacks a record that it needs.
  it.each([
    [
      'pause',
      ['click', 'open', 'date', 'sms'],
      'cannot pause automation subscription:1 (Rule)',
      'not paused',
    ],
    ['resume', ['subscription'], 'cannot resume automation subscription:1 (Rule)', 'not resumed'],
  ])('%s --all continues after it and names it: exit 8', async (verb, left, words, also) => {
    if (verb === 'resume') await svc('pause --all --yes');
    const { transport } = serviceOf(sandbox);
    const refusing: Transport = (request, signal) =>
      request.method === 'PUT' && request.path.endsWith('/subscriptionAutomation/1')
        ? Promise.resolve({
            status: 409,
            headers: {},
            body: '{"status":"error","response":{"code":409,"subcode":12,"message":"Dependent resource no longer exists"}}',
          })
        : transport(request, signal);
    const run = await svc(`${verb} --all --yes`, { transport: refusing });
    expect([run.exitCode, await paused()]).toEqual([8, left]);
    expect(run.stderr).toContain(`${words}: Dependent resource no longer exists`);
    expect(run.stderr).toContain(`; ${also}: subscription:1`);
    // Contract, "Output": an error "with `-o json` is one JSON object on stderr".
    await sandbox.service.store.db.run(
      sql`update subscription_automation set paused = ${verb === 'resume' ? 1 : 0}`,
    );
    const json = await svc(`${verb} --all --yes -o json`, { transport: refusing });
    const errors = json.stderr.split('\n').filter((line) => line.startsWith('{'));
    expect([json.exitCode, JSON.parse(json.stdout)]).toEqual([8, []]);
    expect(errors.map((line) => JSON.parse(line))).toMatchObject([
      {
        error: { kind: 'conflict', exit: 5, message: expect.stringContaining(words), http: 409, subcode: 12 },
      },
    ]);
  });

  it('a refused key stops the run, because three failures lock the user', async () => {
    const { transport } = serviceOf(sandbox);
    let refused = 0;
    const refusing: Transport = async (request, signal) => {
      if (request.method !== 'PUT') return transport(request, signal);
      refused += 1;
      const body = '{"status":"error","response":{"code":401,"message":"Authentication failed"}}';
      return { status: 401, headers: {}, body };
    };
    const run = await svc('pause --all --yes', { transport: refusing });
    expect([run.exitCode, refused]).toEqual([3, 1]);
  });
});

describe('rejects wrong arguments, and sends nothing', () => {
  it.each([
    ['pause', 'give a rule, --all or --kind'],
    ['pause click:1 --all', 'cannot combine a rule with --all'],
    ['pause click:1 --record off.ndjson', 'cannot combine a rule with --record'],
    ['resume click:1 --from off.ndjson', 'cannot combine --from with a rule'],
    ['resume --all --from off.ndjson', 'cannot combine --from with --all'],
    ['resume --from missing.ndjson --yes', 'missing.ndjson'],
    ['resume --from text.txt --yes', 'text.txt was not written by svc automation pause'],
  ])('%s', async (words, message) => {
    writeFileSync(join(folder, 'text.txt'), '{"version":1}\n');
    const { transport, sent } = serviceOf(sandbox);
    const run = await svc(words, { transport });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(message);
    expect(writesIn(sent)).toEqual([]);
  });

  it('rejects a record of another company', async () => {
    await svc('pause --all --yes --record off.ndjson');
    const env = { ...PARTNER, SVC_COMPANY_ID: '2' };
    const run = await svc('resume --from off.ndjson --yes', { env });
    expect(run).toMatchObject({ exitCode: 2 });
    expect(run.stderr).toContain('off.ndjson is for company 1 at https://api.example.com, not for company 2');
    expect(await paused()).toEqual([...KINDS]);
  });

  it.each([
    [
      'an existing record',
      () => writeFileSync(join(folder, 'off.ndjson'), 'mine'),
      'pause --all --yes --record off.ndjson',
    ],
    ['a missing folder', () => undefined, 'pause --all --yes --record nowhere/off.ndjson'],
    [
      'a state folder that others may write in',
      () => {
        mkdirSync(join(state, 'journal'), { recursive: true });
        chmodSync(join(state, 'journal'), 0o777);
      },
      'pause --all --yes',
    ],
  ])('%s', async (_, prepare, words) => {
    prepare();
    const { transport, sent } = serviceOf(sandbox);
    const run = await svc(words, { transport });
    expect(run.exitCode).not.toBe(0);
    expect(run.stderr).toContain('nothing was paused');
    expect(writesIn(sent)).toEqual([]);
    expect(await paused()).toEqual(['open']);
  });
});
