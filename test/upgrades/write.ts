/**
 * Writes each file that svc reads again later, with the commands of this version against a sandbox in memory. Times, ids and random
 * octets are the same in every run. Placeholders replace paths and keys (`fixtures.ts`).
 */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TransportError } from '../../src/client/requests/errors.ts';
import { dataDirAt } from '../../src/sandbox/data/data-dir.ts';
import { saveSnapshot } from '../../src/sandbox/data/snapshots.ts';
import { saveSandboxPort, storeFieldNaming } from '../../src/sandbox/data/stored-settings.ts';
import { sql } from '../../src/sandbox/store/driver/sql.ts';
import { openStore } from '../../src/sandbox/store/open.ts';
import { namingWithOverrides } from '../../src/service/protocol/naming.ts';
import type { Transport } from '../../src/service/protocol/wire.ts';
import { putCampaignFiles } from '../support/campaign-files.ts';
import { withEverything } from '../support/everything.ts';
import { NOBODY, type Outside, runCli } from '../support/run-cli.ts';
import { KEYS } from '../support/sandbox.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { keepFixtures } from './fixtures.ts';

/** The number of rows in the interrupted import, and the row at which it ends. */
const ROWS = 6;
const CUT_AT = 3;

/** @param out the folder of a release, which must not exist */
export async function writeFixtures(out: string): Promise<void> {
  const folder = await makeTemporaryFolder('upgrades');
  try {
    await writeAll(folder);
    await keepFixtures(folder, out);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function writeAll(folder: string): Promise<void> {
  const data = dataDirAt(join(folder, 'sandbox'));
  const work = join(folder, 'work');
  for (const path of [data.path, work]) await mkdir(path, { recursive: true, mode: 0o700 });
  const store = await openStore(join(folder, 'service.db'));
  const sandbox = await withEverything(store);
  const random = countedRandom();
  const transport: Transport = (request) => sandbox.service.handle(request);
  const svc = async (line: string | readonly string[], outside: Outside = {}, exit = 0): Promise<void> => {
    const run = await runCli(typeof line === 'string' ? line.split(' ') : line, {
      cwd: work,
      transport,
      random,
      ...outside,
      env: {
        ...NOBODY,
        PATH: process.env['PATH'],
        SVC_CONFIG_DIR: join(folder, 'config'),
        SVC_STATE_DIR: join(folder, 'state'),
        ...outside.env,
      },
    });
    if (run.exitCode !== exit)
      throw new Error(`svc ${String(line)} ended with ${run.exitCode}: ${run.stderr}`);
  };

  // Profiles, their roster and budget, and the pin of a folder.
  const at = '--base-url https://api.example.com --api-key-stdin --no-check';
  await svc(`profile add shop --company 1 --user 1 ${at}`, { stdin: KEYS.company });
  await svc(`profile add agency --partner 1 ${at}`, { stdin: KEYS.partner });
  await svc('profile set shop tz Europe/London');
  await svc('profile set shop budget.recipients-per-day 50');
  await svc('company import - --profile agency', {
    stdin: 'id,name,tags,note\n1,Company,shop,\n2,Other,shop,\n',
  });
  await writeFile(join(work, '.svc.json'), '{"profile": "shop", "company": 1}\n');
  await svc('profile trust --yes');

  // The journal, with a write that can be undone, and a budget that is partly used.
  await svc('folder create --name Draft');
  await svc('folder update 2 --name Final');
  await svc('sms send --to 447700900123 --from Example --text Hello --now --yes');
  await svc('automation pause --all --yes --record paused.ndjson');
  await svc('email pull 1 --dir mails');

  // A plan with an approval.
  await putCampaignFiles(work);
  const key = await writeKey(folder);
  await writeFile(join(work, 'team.signers'), `ann@example.com ${key.line}\n`);
  await svc('plan spring.yaml --out spring.plan');
  await svc(`approve spring.plan --yes --identity ${key.path} --name ann`);

  // Two unfinished runs.
  const rows = Array.from({ length: ROWS }, (_, row) => `p${row}@example.com\n`);
  await writeFile(join(work, 'gone.csv'), rows.join(''));
  await svc('dnc import gone.csv --yes --concurrency 1', { transport: cutAt(transport, CUT_AT) }, 7);
  const companies = 'folder create --name New --companies all --write --yes --checkpoint companies.ndjson';
  await svc(`${companies} --profile agency --concurrency 1`, { transport: cutAt(transport, 2) }, 8);
  await svc('sandbox clone --from shop --data clone', { transport: cutAt(transport, 6, 'GET') }, 7);

  storeFieldNaming(data, namingWithOverrides({ headerPrefix: 'X-Shop-' }));
  saveSandboxPort(data, 4010);
  for (const table of ['nonce', 'request_log']) await store.db.run(sql`delete from ${sql.ref(table)}`);
  await saveSnapshot(store, data, 'before');
  await store.db.exec(sql`vacuum into ${data.database}`);
  await store.close();
  for (const end of ['', '-wal', '-shm']) await rm(join(folder, `service.db${end}`), { force: true });
  await rm(key.path);
}

/** Returns the service, which loses the connection at the n-th request of the method. That request never arrives. */
function cutAt(transport: Transport, nth: number, method = 'POST'): Transport {
  let count = 0;
  return (request, signal) => {
    if (request.method === method) count += 1;
    if (count >= nth) return Promise.reject(new TransportError('not-sent', 'the connection was lost'));
    return transport(request, signal);
  };
}

function countedRandom(): (octets: number) => Uint8Array {
  let count = 0;
  return (octets) => {
    count += 1;
    return createHash('sha512').update(`fixture ${count}`).digest().subarray(0, octets);
  };
}

/** Writes a private key of OpenSSH that is the same in every run. It protects nothing. */
async function writeKey(folder: string): Promise<{ readonly path: string; readonly line: string }> {
  const seed = createHash('sha256').update('key of the fixtures').digest();
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const secret = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  const raw = createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(-32);
  const open = Buffer.concat([field('ssh-ed25519'), field(raw)]);
  const check = Buffer.alloc(8, 1);
  const closed = Buffer.concat([check, open, field(Buffer.concat([seed, raw])), field('ann')]);
  const padding = Buffer.from(Array.from({ length: (8 - (closed.length % 8)) % 8 }, (_, at) => at + 1));
  const one = Buffer.from([0, 0, 0, 1]);
  const head = [Buffer.from('openssh-key-v1\0'), field('none'), field('none'), field(''), one];
  const whole = Buffer.concat([...head, field(open), field(Buffer.concat([closed, padding]))]);
  const name = 'OPENSSH PRIVATE KEY';
  const path = join(folder, 'key');
  const text = `-----BEGIN ${name}-----\n${whole.toString('base64').replaceAll(/.{70}/g, '$&\n')}\n-----END ${name}-----\n`;
  await writeFile(path, text, { mode: 0o600 });
  return { path, line: `ssh-ed25519 ${open.toString('base64')}` };
}

function field(content: string | Buffer): Buffer {
  const octets = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(octets.length);
  return Buffer.concat([length, octets]);
}
