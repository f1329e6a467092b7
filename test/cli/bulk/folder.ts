/** A folder for the files of one test, and a command line that runs in it. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Outside, type Run, runCli, serviceOf } from '../../support/run-cli.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

export interface Folder extends AsyncDisposable {
  readonly path: string;
  readonly write: (name: string, text: string) => Promise<void>;
  readonly writeOctets: (name: string, octets: Uint8Array) => Promise<void>;
  readonly read: (name: string) => Promise<string>;
  readonly names: () => Promise<readonly string[]>;
}

export async function temporaryFolder(): Promise<Folder> {
  const path = await makeTemporaryFolder('bulk');
  return {
    path,
    write: (name, text) => writeFile(join(path, name), text),
    writeOctets: (name, octets) => writeFile(join(path, name), octets),
    read: (name) => readFile(join(path, name), 'utf8'),
    names: async () => (await readdir(path)).sort(),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

export interface Bulk extends Folder {
  readonly sandbox: TestSandbox;
  readonly service: ReturnType<typeof serviceOf>;
  /** Runs a command in this folder, against this sandbox. */
  readonly svc: (args: readonly string[], outside?: Outside) => Promise<Run>;
  /** Returns the entries of Do Not Contact, in the order of their creation. */
  readonly listed: () => Promise<readonly string[]>;
}

/** @param listed the existing entries of Do Not Contact */
export async function bulkFolder(...listed: readonly string[]): Promise<Bulk> {
  const folder = await temporaryFolder();
  const sandbox = await createTestSandbox();
  for (const contactdata of listed)
    await sandbox.put('do_not_contact', { account_id: IDS.company, contactdata, cdate: NOW - 1000 });
  const service = serviceOf(sandbox);
  return {
    ...folder,
    sandbox,
    service,
    svc: (args, outside = {}) => runCli(args, { cwd: folder.path, transport: service.transport, ...outside }),
    listed: async () => (await sandbox.rows('do_not_contact')).map(({ contactdata }) => String(contactdata)),
  };
}
