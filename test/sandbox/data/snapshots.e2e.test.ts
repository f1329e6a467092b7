import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { copyStore, openStore } from '../../../src/sandbox/store/open.ts';
import { insertRows } from '../../../src/sandbox/store/rows.ts';
import type { Row } from '../../../src/sandbox/store/schema/tables.ts';
import { bundleForNode } from '../../support/bundle.ts';

/** The number of times that a restore is killed. */
const KILLS = 12;

describe('a restore that is killed', () => {
  it('leaves all data of one state or of the other', async () => {
    const entry = await bundleForNode('test/support/restore-process.ts');
    const dir = dirname(entry);
    try {
      const [database, first, second] = ['live', 'first', 'second'].map((name) => join(dir, `${name}.db`));
      if (!database || !first || !second) throw new Error('no paths');
      for (const [into, count] of [
        [first, 4000],
        [second, 7000],
      ] as const) {
        const store = await openStore(':memory:');
        await insertRows(store.db, 'partner', [{ name: 'P', api_key: 'k', timezone: 'UTC' }]);
        for (let at = 0; at < count; at += 500) {
          const rows = Array.from({ length: 500 }, (_, n) => ({
            key: `${count}-${at + n}`,
            value: 'v'.repeat(99),
          }));
          await insertRows(store.db, 'setting', rows);
        }
        await copyStore(store, into);
        await store.close();
      }
      const seen = new Set<number>();
      for (let kill = 0; kill < KILLS; kill += 1) {
        const child = spawn(process.execPath, [entry, database, first, second], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const gone = new Promise<string>((resolve) => {
          child.once('exit', (code, signal) => resolve(signal ?? `exit ${code}`));
          child.once('error', (error) => resolve(error.message));
        });
        // The last restores are killed after both files are in their place.
        await new Promise<void>((resolve, reject) => {
          void gone.then((end) => reject(new Error(`the restore ended by itself: ${end}`)));
          let said = '';
          child.stdout.on('data', (more) => {
            said += String(more);
            if (said.includes(kill < KILLS - 2 ? 'ready' : 'both')) resolve();
          });
        });
        await new Promise((resolve) => setTimeout(resolve, 30 + ((kill * 37) % 200)));
        child.kill('SIGKILL');
        expect(await gone).toBe('SIGKILL');
        const store = await openStore(database);
        const rows = await store.db.all(sql<Pick<Row<'setting'>, 'key'>>`select key from setting`);
        const partners = await store.db.all(sql<Row<'partner'>>`select * from partner`);
        await store.close();
        const kinds = new Set(rows.map(({ key }) => key.split('-')[0]));
        if (rows.length > 0) expect([[...kinds], partners.length]).toEqual([[String(rows.length)], 1]);
        seen.add(rows.length);
      }
      expect([...seen].filter((count) => count > 0).every((count) => count === 4000 || count === 7000)).toBe(
        true,
      );
      expect(seen.has(4000) || seen.has(7000)).toBe(true);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
