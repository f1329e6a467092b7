/**
 * Contract, "Numbers, ids and names": rules are named kind:id in all printed ids (-o id, notes, csv, tables). JSON keeps id a number and
 * adds kind. Each of the five kinds may have a rule with the same bare id.
 */
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../src/client/requests/errors.ts';
import type { Transport } from '../../src/service/protocol/wire.ts';
import { withEverything } from '../support/everything.ts';
import { type Outside, runCli, serviceOf } from '../support/run-cli.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const KINDS = ['click', 'open', 'subscription', 'date', 'sms'] as const;
type Kind = (typeof KINDS)[number];

const createLine = (kind: Kind, keyword = 'NEW'): readonly string[] => [
  ...['automation', 'create', '--kind', kind, '--name', 'New'],
  ...(kind === 'sms'
    ? ['--keyword', keyword, '--list', '1']
    : ['--actiontype', 'notify', '--actiontarget', 'a@example.com']),
  ...(kind === 'subscription'
    ? ['--list', '1']
    : kind === 'click' || kind === 'open'
      ? ['--message', '2']
      : []),
];

let state: string;
let transport: Transport;
beforeEach(async () => {
  state = await makeTemporaryFolder('titles');
  transport = serviceOf(await withEverything()).transport;
});
afterEach(() => rm(state, { recursive: true }));

const svc = (argv: readonly string[], outside: Outside = {}) =>
  runCli(argv, { transport, ...outside, env: { SVC_STATE_DIR: state, ...outside.env } });

describe.each(KINDS)('a %s rule', (kind) => {
  it('is named in notes and questions when it is created, changed, paused and deleted', async () => {
    expect((await svc(createLine(kind))).stderr).toContain(`made automation ${kind}:2 (New)`);
    const rule = `${kind}:2`;
    const changed = await svc(['automation', 'update', rule, '--name', 'Newer']);
    expect(changed.stderr).toContain(`changed automation ${rule} (Newer)`);
    expect((await svc(['automation', 'pause', rule])).stderr).toContain(`paused automation ${rule} (Newer)`);
    const asked = await svc(['automation', 'delete', rule], { tty: true, answers: [true] });
    expect(asked.questions[0]).toContain(`delete automation ${rule} (Newer)`);
    expect(asked.stdout).toBe(`Deleted automation ${rule} "Newer".\n`);
  });

  it('is named in the journal, in undo and in records found by --key', async () => {
    const made = [...createLine(kind), '--key', 'one'];
    await svc(made);
    const again = await svc(made);
    expect(again.stderr).toMatch(new RegExp(`created automation ${kind}:2 \\(New \\[svc-`));
    const log = JSON.parse((await svc(['log', 'list', '-o', 'json'])).stdout);
    expect(log[0].what).toMatch(new RegExp(`^automation ${kind}:2 \\(New`));
    const undo = await svc(['undo', '--yes']);
    // The rule was created paused, then resumed: the undo pauses it, and says that it does not delete it.
    expect(undo.exitCode).toBe(8);
    expect(undo.stdout).toContain(`automation ${kind}:2 (New`);
    expect(undo.stderr).toContain(`svc undo does not delete records: automation ${kind}:2`);
    expect(
      (await svc(['automation', 'get', `${kind}:2`, '--fields', 'paused', '-o', 'csv'])).stdout,
    ).toContain('true');
    // A person has decided that the rule is paused, so the same command does not resume it.
    expect((await svc(made)).exitCode).toBe(0);
    expect(
      (await svc(['automation', 'get', `${kind}:2`, '--fields', 'paused', '-o', 'csv'])).stdout,
    ).toContain('true');
    await svc(['automation', 'update', `${kind}:1`, '--name', 'Other']);
    expect((await svc(['undo', '--yes'])).stderr).toContain(`restored automation ${kind}:1 (Rule)`);
  });

  it('is named after a lost response', async () => {
    const lossy: Transport = async (request) => {
      const answer = await transport(request);
      if (request.method === 'POST') throw new TransportError('unknown', 'cut');
      return answer;
    };
    const run = await svc(createLine(kind), { transport: lossy });
    expect(run.stderr).toContain(
      `the response was lost; automation ${kind}:2 (New) exists, so svc did not repeat`,
    );
  });

  it.each([['create'], ['get'], ['update'], ['pause'], ['resume'], ['delete'], ['list']])(
    '-o id, csv and the table of %s name its kind; JSON has a number',
    async (verb) => {
      const rule = `${kind}:1`;
      const lineOf = (at: number): Readonly<Record<string, readonly string[]>> => ({
        // A keyword belongs to one rule.
        create: createLine(kind, `NEW${at}`),
        get: ['automation', 'get', rule],
        update: ['automation', 'update', rule, '--name', 'New'],
        pause: ['automation', 'pause', rule],
        resume: ['automation', 'resume', rule],
        delete: ['automation', 'delete', rule, '--yes'],
        list: ['automation', 'list', '--kind', kind],
      });
      for (const [at, format] of ['id', 'csv', 'tsv', 'table', 'json', 'yaml'].entries()) {
        const id = verb === 'create' ? 2 + at : 1;
        // Each deletion gets a separate service, because a rule can be deleted only once.
        const own = verb === 'delete' ? serviceOf(await withEverything()) : { transport };
        const run = await svc([...(lineOf(at)[verb] ?? []), '-o', format, '--quiet'], own);
        expect(run.exitCode, run.stderr).toBe(0);
        if (format === 'id') expect(run.stdout).toBe(`${kind}:${id}\n`);
        else if (format === 'json') expect([JSON.parse(run.stdout)].flat()).toMatchObject([{ kind, id }]);
        else if (format === 'yaml') expect(run.stdout).toMatch(new RegExp(`\\bid: ${id}\\b`));
        else expect(run.stdout).toMatch(new RegExp(`(^|[,\\t ])${kind}:${id}($|[,\\t\\n ])`, 'm'));
      }
    },
  );
});

it('names a deleted rule with its kind', async () => {
  await svc(['automation', 'update', 'open:1', '--name', 'Other']);
  await svc(['automation', 'delete', 'open:1', '--yes', '--no-journal']);
  const run = await svc(['undo', '--yes']);
  expect(run.exitCode).toBe(4);
  expect(run.stderr).toContain('automation open:1 not found');
});
