/** Acceptance, I8: an import of a million rows stays within 300 MB, sends each row once, and its totals add up. */
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleForNode } from '../support/bundle.ts';
import { depth, tried } from '../support/depth.ts';
import { bodyOf } from '../support/relay.ts';
import { errorText, listening, okText, runSvc } from '../support/stub-service.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

const ROWS = depth('SVC_IMPORT_ROWS', { few: 20_000, full: 1_000_000 });
const MOST_RSS_MB = 300;
const HOUR = 3_600_000;

let svc: string;
let home: string;
beforeAll(async () => {
  svc = await bundleForNode('test/support/rss-process.ts');
  home = await makeTemporaryFolder('large-import');
});
afterAll(async () => {
  await removeFolder(home);
  await removeFolder(dirname(svc));
});

it(`I8: ${ROWS} rows`, { timeout: HOUR }, async () => {
  const file = join(home, 'rows.csv');
  await pipeline(lines(), createWriteStream(file));
  const sent = new Uint8Array(ROWS);
  const server = createServer((incoming, outgoing) => {
    const answer = (status: number, body: string): void => {
      outgoing.writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'x-svc-time': String(Math.floor(Date.now() / 1000)),
      });
      outgoing.end(body);
    };
    if (incoming.method !== 'POST') {
      incoming.resume();
      answer(404, errorText(404, 'Not Found'));
      return;
    }
    bodyOf(incoming).then(
      (body) => {
        const { contactdata } = JSON.parse(body.toString('utf8'));
        const row = Number(/^person([0-9]+)@/.exec(contactdata)?.[1]);
        sent[row] = (sent[row] ?? 0) + 1;
        answer(202, okText(`{"id":${row + 1},"contactdata":"${contactdata}","cdate":1796115600}`));
      },
      () => outgoing.destroy(),
    );
  });
  const port = await listening(server);
  const argv = ['dnc', 'import', file, '--yes', '--quiet', '-o', 'json'];
  const { code, stdout, stderr } = await runSvc(svc, argv, { port, home, patience: HOUR });
  server.closeAllConnections();
  server.close();

  expect([code, stderr.includes('svc:')]).toEqual([0, false]);
  expect(JSON.parse(stdout)).toMatchObject({ rows: ROWS, added: ROWS, skipped: 0, failed: 0, open: 0 });
  expect(sent.filter((times) => times !== 1)).toHaveLength(0);
  const rss = Number(/^rss (\d+)$/m.exec(stderr)?.[1]);
  process.stdout.write(`${ROWS} rows, ${rss} MB at its peak\n`);
  expect(rss).toBeLessThan(MOST_RSS_MB);
  tried('I8', ROWS);
});

function* lines(): Generator<string> {
  const part = 1000;
  yield 'email\n';
  for (let from = 0; from < ROWS; from += part) {
    const rows = Array.from({ length: Math.min(part, ROWS - from) }, (_, at) => from + at);
    yield rows.map((row) => `person${row}@example${row % 997}.com\n`).join('');
  }
}
