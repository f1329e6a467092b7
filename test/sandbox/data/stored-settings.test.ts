/**
 * Contract, "Naming files": the names of `sandbox start` are "kept in the data folder: later starts speak the same names until told
 * otherwise".
 */
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataDirAt, removeSandboxFiles } from '../../../src/sandbox/data/data-dir.ts';
import {
  DEFAULT_WIRE_NAMING,
  type Naming,
  namingWithOverrides,
} from '../../../src/service/protocol/naming.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

const ACME = namingWithOverrides({ headerPrefix: 'X-Acme-', case: 'any', fields: { name: 'title' } });

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let running: SocketSandbox | undefined;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await folder.remove();
});

/** Starts the sandbox after the previous one has stopped. */
async function start(naming?: Naming, port = 0): Promise<SocketSandbox> {
  await running?.stop();
  running = await runSandbox(folder.path, { naming, port });
  return running;
}
/** Returns the header prefix of its responses. */
async function prefixOf(sandbox: SocketSandbox): Promise<string | undefined> {
  const { headers } = await sandbox.get('/v1/folder');
  return [...headers.keys()].find((name) => name.endsWith('-time'))?.replace(/time$/, '');
}
const file = () => dataDirAt(folder.path).naming;

describe('the names of a start', () => {
  it('are used by later starts, until another file is given', async () => {
    expect(await prefixOf(await start(ACME))).toBe('x-acme-');
    const second = await start();
    expect([await prefixOf(second), second.naming]).toEqual(['x-acme-', ACME]);
    const other = namingWithOverrides({ headerPrefix: 'X-Other-' });
    expect((await start(other)).naming).toEqual(other);
    expect((await start()).naming).toEqual(other);
  });

  it('are removed by a start with the neutral names', async () => {
    await start(ACME);
    await start(DEFAULT_WIRE_NAMING);
    expect(existsSync(file())).toBe(false);
    expect((await start()).naming).toEqual(DEFAULT_WIRE_NAMING);
  });

  it('are in a file only for this user, without the neutral ones', async () => {
    await start(ACME);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({
      headerPrefix: 'X-Acme-',
      case: 'any',
      fields: { name: 'title' },
    });
  });

  it('are not stored if the start failed', async () => {
    await start(ACME);
    await running?.stop();
    const holder = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => holder.once('listening', done));
    const { port } = holder.address() as { port: number };
    await expect(start(namingWithOverrides({ headerPrefix: 'X-Other-' }), port)).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    holder.close();
    expect((await start()).naming).toEqual(ACME);
  });

  it('are deleted with the data', async () => {
    await start(ACME);
    await running?.stop();
    removeSandboxFiles(dataDirAt(folder.path));
    expect((await start()).naming).toEqual(DEFAULT_WIRE_NAMING);
  });
});

describe('a names file that was changed by hand', () => {
  it.each([
    ['{', 'it is not JSON'],
    ['[]', 'it must hold one JSON object'],
    [
      '{"headers":"X-"}',
      'headers is not a naming setting; naming settings define the names that this service uses',
    ],
    ['{"fields":{"nosuch":"x"}}', 'naming.fields: unknown attribute nosuch'],
  ])('%s is rejected, and the error says what to do', async (text, why) => {
    await start(ACME);
    await running?.stop();
    writeFileSync(file(), text);
    await expect(start()).rejects.toMatchObject({
      name: 'DataDirError',
      message: `${file()} has no valid names: ${why}`,
      hints: [expect.stringContaining('--naming FILE')],
    });
    expect((await start(ACME)).naming).toEqual(ACME);
  });

  it('is not read if others may have written it', async () => {
    await start(ACME);
    await running?.stop();
    chmodSync(file(), 0o666);
    await expect(start()).rejects.toMatchObject({ name: 'DataDirError' });
  });
});
