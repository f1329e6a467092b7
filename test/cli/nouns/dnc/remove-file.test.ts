/**
 * Contract, "`svc undo`": the way back from a wrong `dnc import`. It removes the entries that the import added, and no others,
 * because an older entry is somebody who asked for no more messages.
 */
import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../../src/client/requests/errors.ts';
import type { Transport } from '../../../../src/service/protocol/wire.ts';
import { IDS, NOW } from '../../../support/sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../../../support/temporary-folder.ts';
import { type Bulk, bulkFolder } from '../../bulk/folder.ts';

const FILE = 'email\nold@example.com\na@example.com\nb@example.com\nnobody\na@example.com\n';
const LEFT = { failed: 0, unconfirmed: 0, open: 0 };

/** Returns a command line whose runs share a journal. */
async function withJournal(bulk: Bulk) {
  const state = await makeTemporaryFolder('remove-file');
  return {
    svc: (line: string, transport?: Transport) =>
      bulk.svc(line.split(' '), { env: { SVC_STATE_DIR: state }, ...(transport ? { transport } : {}) }),
    [Symbol.asyncDispose]: () => removeFolder(state),
  };
}

describe('svc dnc remove --file', () => {
  it('removes the entries of the rows, skips rows without an entry, and reports invalid rows: exit 8', async () => {
    await using bulk = await bulkFolder('old@example.com', 'a@example.com', 'other@example.com');
    await bulk.write('gone.csv', FILE);
    const run = await bulk.svc(['dnc', 'remove', '--file', 'gone.csv', '--yes', '-o', 'json']);
    expect(run.exitCode).toBe(8);
    expect(JSON.parse(run.stdout)).toEqual({
      ...{ rows: 5, removed: 2, skipped: 2, rejected: 1, ...LEFT },
      rejects: 'gone.csv.rejects.csv',
    });
    expect(run.stderr).toContain('Subscribers that the service deleted are not restored.');
    expect(await bulk.listed()).toEqual(['other@example.com']);
  });

  // Contract, "Numbers, ids and names, once more".
  it('names an entry by all 23 digits of its id', async () => {
    await using bulk = await bulkFolder('a@example.com');
    await bulk.write('gone.csv', 'email\na@example.com\n');
    const id = '12345678901234567890123';
    const deleted: string[] = [];
    const transport: Transport = async (request, signal) => {
      if (request.method !== 'DELETE') {
        const { body, ...answer } = await bulk.service.transport(request, signal);
        return { ...answer, body: body.replace(/"id":[0-9]+/, `"id":${id}`) };
      }
      deleted.push(request.path);
      const body = `{"status":"ok","response":{"count":1,"next":null,"data":{"id":${id}}}}`;
      return { status: 200, headers: { 'content-type': 'application/json' }, body };
    };
    const run = await bulk.svc(['dnc', 'remove', '--file', 'gone.csv', '--yes'], { transport });
    expect([run.exitCode, deleted]).toEqual([0, [`/v1/doNotContact/${id}`]]);
  });

  it('needs --yes without a terminal, asks with the number of rows on one, and shows a sample in a dry run', async () => {
    await using bulk = await bulkFolder('a@example.com');
    await bulk.write('gone.csv', FILE);
    const remove = ['dnc', 'remove', '--file', 'gone.csv'];
    expect(await bulk.svc(remove)).toMatchObject({ exitCode: 2 });
    const asked = await bulk.svc(remove, { tty: true, answers: [false] });
    expect([asked.exitCode, asked.questions[0]]).toEqual([
      2,
      expect.stringContaining('the 5 rows of gone.csv'),
    ]);
    const dry = await bulk.svc([...remove, '--dry-run', '-o', 'json']);
    expect(JSON.parse(dry.stdout)).toEqual({ rows: 5, skipped: 1, rejected: 1, sampled: 3, removable: 1 });
    expect(await bulk.listed()).toEqual(['a@example.com']);
  });

  it.each([
    ['an entry', ['a@example.com'], 'cannot combine --file with an entry'],
    ['an id', ['--id', '1'], 'cannot combine --file with an entry'],
    ['companies', ['--companies', '1'], 'companies'],
  ])('refuses %s beside the file', async (_, more, text) => {
    await using bulk = await bulkFolder();
    await bulk.write('gone.csv', FILE);
    const run = await bulk.svc(['dnc', 'remove', '--file', 'gone.csv', '--yes', ...more]);
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining(text)]);
  });

  it('names a missing file, and a file without contacts changes nothing', async () => {
    await using bulk = await bulkFolder('a@example.com');
    expect(await bulk.svc(['dnc', 'remove', '--file', 'no.csv', '--yes'])).toMatchObject({ exitCode: 2 });
    await bulk.write('empty.csv', 'email\n');
    expect(await bulk.svc(['dnc', 'remove', '--file', 'empty.csv', '--yes'])).toMatchObject({ exitCode: 0 });
    expect(await bulk.listed()).toEqual(['a@example.com']);
  });
});

describe('svc undo of dnc import', () => {
  it('removes what the import added, and keeps older and newer entries of the same file', async () => {
    await using bulk = await bulkFolder('old@example.com');
    await using journal = await withJournal(bulk);
    await bulk.write('gone.csv', FILE);
    expect(await journal.svc('dnc import gone.csv --yes')).toMatchObject({ exitCode: 8 });
    expect(await bulk.listed()).toEqual(['old@example.com', 'a@example.com', 'b@example.com']);
    // Somebody took b off, and b asked for no more messages an hour later.
    await bulk.sandbox.send('admin', 'DELETE', '/v1/doNotContact?contactdata=b%40example.com');
    await bulk.sandbox.put('do_not_contact', {
      account_id: IDS.company,
      contactdata: 'b@example.com',
      cdate: NOW + 3600,
    });
    const run = await journal.svc('undo --yes -o json');
    expect(JSON.parse(run.stdout)).toMatchObject({ rows: 5, removed: 1, skipped: 3, rejected: 1, ...LEFT });
    expect(await bulk.listed()).toEqual(['old@example.com', 'b@example.com']);
    const again = await journal.svc('undo 1 --yes');
    expect([again.exitCode, again.stderr]).toEqual([
      2,
      expect.stringContaining('already undone by change 2'),
    ]);
    // The removal is a bulk job, too.
    expect((await journal.svc('undo 2 --yes')).stderr).toContain('svc dnc import adds the rows of a file');
  });

  it('reads the column of the import', async () => {
    await using bulk = await bulkFolder();
    await using journal = await withJournal(bulk);
    await bulk.write('gone.csv', 'mail,email\nx@example.com,a@example.com\n');
    await journal.svc('dnc import gone.csv --column mail --yes');
    expect(await bulk.listed()).toEqual(['x@example.com']);
    expect(await journal.svc('undo --yes')).toMatchObject({ exitCode: 0 });
    expect(await bulk.listed()).toEqual([]);
  });

  it('refuses a file that has changed: exit 5', async () => {
    await using bulk = await bulkFolder();
    await using journal = await withJournal(bulk);
    await bulk.write('gone.csv', FILE);
    await journal.svc('dnc import gone.csv --yes');
    await bulk.write('gone.csv', `${FILE}c@example.com\n`);
    const run = await journal.svc('undo --yes');
    expect([run.exitCode, run.stderr]).toEqual([5, expect.stringContaining('has changed since the import')]);
    expect(await bulk.listed()).toHaveLength(3);
  });

  it('takes back an interrupted import, once its checkpoint is out of the way', async () => {
    await using bulk = await bulkFolder();
    await using journal = await withJournal(bulk);
    await bulk.write('gone.csv', FILE);
    let posts = 0;
    const ending: Transport = (request, signal) => {
      if (request.method === 'POST') posts += 1;
      if (request.method === 'POST' && posts > 1)
        return Promise.reject(new TransportError('not-sent', 'nobody listens'));
      return bulk.service.transport(request, signal);
    };
    const cut = await journal.svc('dnc import gone.csv --yes --retries 0 --concurrency 1', ending);
    expect(cut.exitCode).not.toBe(0);
    expect(await bulk.listed()).toHaveLength(1);
    const held = await journal.svc('undo --yes');
    expect(held.stderr).toContain('gone.csv.svc-journal');
    expect(await bulk.listed()).toHaveLength(1);
    await journal.svc('undo --yes --dry-run');
    const { unlink } = await import('node:fs/promises');
    await unlink(`${bulk.path}/gone.csv.svc-journal`);
    expect(await journal.svc('undo --yes')).toMatchObject({ exitCode: 8 });
    expect(await bulk.listed()).toEqual([]);
  });
});
