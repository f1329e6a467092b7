/** Contract, "Numbers, ids and names, once more": an id has more digits than a JavaScript number can hold. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  createPausedRulesFileAndWriter,
  parsePausedRules,
} from '../../src/client/journal/paused-rules-file.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

it('reads back the ids of the company and of each rule digit for digit', async () => {
  const folder = await makeTemporaryFolder('paused');
  const path = join(folder, 'off.ndjson');
  const header = { time: '2026-12-01T09:00:00.000Z', origin: 'https://api.example.com' };
  const ids = { company: 12345678901234567890n, id: 9007199254740993n };
  const rules = [{ kind: 'sms', id: ids.id, name: 'A' }];
  const note = createPausedRulesFileAndWriter(
    path,
    process.platform,
    { ...header, company: ids.company },
    rules,
  );
  note({ kind: 'sms', id: ids.id }, 'begun');
  expect(parsePausedRules(readFileSync(path, 'utf8'), path)).toEqual({
    ...header,
    company: ids.company,
    rules: [{ kind: 'sms', id: ids.id, name: 'A', state: 'begun' }],
  });
  rmSync(folder, { recursive: true });
});
