import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPager } from '../../../src/cli/outside/pager.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder('pager');
});
afterAll(() => rm(folder, { recursive: true }));

const env = { PATH: process.env['PATH'], SVC_API_KEY: 'a-key', SVC_COMPANY_ID: '1' };

/** Returns the listeners of the process. */
function listeners() {
  const on: string[] = [];
  const off: string[] = [];
  return {
    on,
    off,
    process: { on: (event: string) => on.push(event), off: (event: string) => off.push(event) },
  };
}

describe('startPager', () => {
  it('gets the output, and svc survives a Ctrl-C meanwhile', async () => {
    const { on, off, process } = listeners();
    const file = join(folder, 'read');
    const pager = await startPager(`cat > ${file}`, env, process);
    await pager?.write('one\n');
    await pager?.write('two\n');
    expect([on, off]).toEqual([['SIGINT'], []]);
    expect(await pager?.end()).toBe('read');
    expect(off).toEqual(['SIGINT']);
    expect(await readFile(file, 'utf8')).toBe('one\ntwo\n');
  });

  it('keeps colours, ends if everything fits, and gets no key', async () => {
    const file = join(folder, 'env');
    const pager = await startPager(`env > ${file}`, env, listeners().process);
    await pager?.end();
    const text = await readFile(file, 'utf8');
    expect(text).toContain('LESS=FRX');
    expect(text).toContain('SVC_COMPANY_ID=1');
    expect(text).not.toContain('a-key');
  });

  it("keeps the user's LESS", async () => {
    const file = join(folder, 'less');
    const pager = await startPager(`echo $LESS > ${file}`, { ...env, LESS: 'S' }, listeners().process);
    await pager?.end();
    expect(await readFile(file, 'utf8')).toBe('S\n');
  });

  it('is undefined if the program does not exist', async () => {
    expect(await startPager('no-such-pager -R', env, listeners().process)).toBeUndefined();
  });

  it('reports a program that a shell or env did not find', async () => {
    for (const command of ['env no-such-pager', 'exec no-such-pager 2>/dev/null; exit 127']) {
      const pager = await startPager(command, env, listeners().process);
      await pager?.write('text').catch(() => undefined);
      expect(await pager?.end()).toBe('not-run');
    }
  });

  it('rejects writes after the user has closed it', async () => {
    const pager = await startPager('true', env, listeners().process);
    await sleep(200);
    const writing = async () => {
      for (let each = 0; each < 5; each += 1) await pager?.write('x'.repeat(100_000));
    };
    await expect(writing()).rejects.toMatchObject({
      code: expect.stringMatching(/^(EPIPE|ERR_STREAM_DESTROYED)$/),
    });
    expect(await pager?.end()).toBe('read');
  });
});
