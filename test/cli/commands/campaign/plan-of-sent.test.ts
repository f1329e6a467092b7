/** Contract, "Campaigns as files": `plan --out` saves every plan that `plan` shows, also one with a sent task that differs from the file. */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import { openDemoService } from '../../../support/demo-service.ts';
import { runCli } from '../../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

it.each([
  ['time', 'at: monday 09:00', 'at: 2026-12-09 10:00', 'scheduledtime'],
  ['list', 'list: 1', 'list: 2', 'list_id'],
  ['name', 'name: Spring sale to the newsletter', 'name: Other', 'name'],
])(
  'saves and shows a plan for a sent task with another %s in the file',
  async (_, before, after, attribute) => {
    const folder = await makeTemporaryFolder('plan-of-sent');
    try {
      await cp('examples/campaign', folder, { recursive: true });
      const demo = await openDemoService();
      const svc = (line: string) =>
        runCli(line.split(' '), { cwd: folder, transport: demo.transport, env: demo.admin });
      expect((await svc('apply spring.yaml --yes')).exitCode).toBe(0);
      await demo.db.run(sql`update task set completed = 1, started = 1, sent = size, due = null, endtime = scheduledtime
      where name like 'Spring sale to the newsletter%'`);
      const file = join(folder, 'spring.yaml');
      await writeFile(file, (await readFile(file, 'utf8')).replace(before, after));
      const saved = await svc('plan spring.yaml --out spring.plan');
      expect([saved.exitCode, saved.stderr]).toEqual([0, expect.not.stringContaining('contradicts')]);
      const shown = await svc('plan show spring.plan');
      expect(shown.exitCode).toBe(0);
      expect(shown.stdout.replaceAll(/\s+/g, ' ')).toContain(`differ from the file: ${attribute};`);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
