/** `svc mcp` as a client starts it: a process with the protocol on its standard input and output, and a sandbox as the service. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, it } from 'vitest';
import { runSandbox, temporaryFolder } from '../support/running-sandbox.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

it('serves a client over standard input and output, and ends when the client does', async () => {
  const data = await temporaryFolder();
  const folder = await makeTemporaryFolder('mcp');
  const running = await runSandbox(data.path, { clock: 'manual', seed: 'demo' });
  const { baseUrl, controlToken, company } = running.ready;
  const box = {
    ...{
      kind: 'company',
      baseUrl,
      companyId: company.id,
      userId: company.adminUserId,
      apiKey: company.apiKey,
    },
    sandbox: { dataDir: data.path, controlToken },
  };
  await writeFile(
    join(folder, 'config.json'),
    JSON.stringify({ version: 1, default: 'box', profiles: { box } }),
    { mode: 0o600 },
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(process.cwd(), 'bin/svc.js'), 'mcp', '--profile', 'box', '--sandbox-only', '--tools', 'all'],
    env: { PATH: process.env['PATH'] ?? '', SVC_CONFIG_DIR: folder, SVC_STATE_DIR: join(folder, 'state') },
    cwd: folder,
    stderr: 'pipe',
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  expect((await client.listTools()).tools).toHaveLength(21);
  const listed = await client.callTool({ name: 'list_records', arguments: { noun: 'task', limit: 1 } });
  expect(listed.structuredContent).toMatchObject({ ok: true, rows: [{ channel: 'sms' }] });
  const moved = await client.callTool({
    name: 'sandbox',
    arguments: { command: 'clock advance', duration: '1h' },
  });
  expect(moved.structuredContent).toMatchObject({ ok: true });
  const { pid } = transport;
  await client.close();
  expect(() => process.kill(pid ?? 0, 0)).toThrow('ESRCH');
  await running.stop();
  await data.remove();
});
