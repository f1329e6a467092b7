/** `email preview --png` with a real browser. Contract, "Insight". */
import { readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findChromium } from '../../../../src/cli/outside/browser.ts';
import { putEmail } from '../../../support/messages.ts';
import { runCli, serviceOf } from '../../../support/run-cli.ts';
import { createTestSandbox } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await makeTemporaryFolder('preview');
});
afterEach(() => rm(cwd, { recursive: true }));

const chromium = findChromium({ env: process.env, platform: process.platform });

/** Returns red, green and blue of the first pixel. The filter of its row does not matter, because the pixel has no neighbors before it. */
function colourIn(png: Buffer): readonly number[] {
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const length = png.readUInt32BE(at);
    if (png.subarray(at + 4, at + 8).toString('latin1') === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + length));
  }
  return [...inflateSync(Buffer.concat(data)).subarray(1, 4)];
}

describe('--png', () => {
  const line = ['email', 'preview', 'Sale', '--png', 'sale.png', '--width', '300', '--height', '200'];

  it('is drawn by Chromium without scripts and without requests, and overwrites no file', async (context) => {
    if (chromium === undefined) context.skip('Chromium is not installed');
    const asked: (string | undefined)[] = [];
    const server = createServer(({ url }, response) => {
      asked.push(url);
      response.end();
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const web = `http://127.0.0.1:${port}`;
    // The picture is green, unless a script, a style sheet or another page has an effect.
    const html =
      `<!doctype html><link rel="stylesheet" href="${web}/a.css"><meta http-equiv="refresh" content="0;url=${web}/r">` +
      `<body style="background: #00ff00"><img src="${web}/a.png" style="display: none"><iframe src="${web}/f" hidden></iframe>` +
      `<script>document.body.style.background = "#ff0000"; fetch("${web}/s")</script>` +
      `<svg onload="document.body.style.background = '#ff0000'"></svg></body>`;
    const sandbox = await createTestSandbox();
    await putEmail(sandbox, { name: 'Sale', html });
    const { transport } = serviceOf(sandbox);
    const outside = { transport, cwd, env: { PATH: process.env['PATH'], HOME: cwd, TMPDIR: cwd } };
    const run = await runCli(line, outside);
    expect(run).toMatchObject({ exitCode: 0, stdout: '', stderr: 'wrote sale.png\n' });
    server.close();
    expect(asked).toEqual([]);
    const png = await readFile(join(cwd, 'sale.png'));
    // PNG, "IHDR": eight octets of signature, length and name of the chunk, width and height.
    expect(png.subarray(1, 4).toString('latin1')).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([300, 200]);
    expect(colourIn(png)).toEqual([0, 255, 0]);
    expect((await readdir(cwd)).filter((name) => name.startsWith('svc-preview'))).toEqual([]);
    // By default, the picture is as high as the message, whatever the height of a window.
    const high =
      '<!doctype html><body style="margin: 0; min-height: 100vh"><div style="height: 3210px"></div></body>';
    await putEmail(sandbox, { name: 'Long', html: high });
    await runCli(['email', 'preview', 'Long', '--png', 'long.png'], outside);
    const long = await readFile(join(cwd, 'long.png'));
    expect([long.readUInt32BE(16), long.readUInt32BE(20)]).toEqual([800, 3210]);
    const again = await runCli(line, outside);
    expect(again).toMatchObject({ exitCode: 2, stdout: '' });
    expect(again.stderr).toContain('sale.png already exists');
  });
});
