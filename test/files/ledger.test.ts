/**
 * Contract, "Written first", and docs/reliability.md: svc writes its journal and progress files to the disk before it sends. A kill, a full
 * disk or a power cut loses nothing that was acknowledged. `ledger.e2e.test.ts` has the syncs, and a disk that becomes full.
 */
import {
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLedger, openPrivateLedger, readLines } from '../../src/kit/files/ledger.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder('ledger');
  path = join(folder, 'ledger');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const accept = (): void => undefined;
const UNGUARDED = { check: accept };
const content = (): string => readFileSync(path, 'utf8');

function linesOf(from = 0) {
  const file = openSync(path, 'r');
  try {
    return [...readLines(file, from)];
  } finally {
    closeSync(file);
  }
}

describe('the lines of a ledger', () => {
  it('are read back with their positions, also across the pieces in which the file is read', () => {
    // Letters of two octets, so that some of them lie on the border of two pieces.
    const texts = ['', 'a', 'é'.repeat(50_000), 'ü'.repeat(200_001), '', 'end'];
    writeFileSync(path, texts.map((text) => `${text}\n`).join(''));
    const lines = linesOf();
    expect(lines.map(({ text }) => text)).toEqual(texts);
    expect(lines.every(({ isWhole }) => isWhole)).toBe(true);
    for (const [at, { end }] of lines.entries())
      expect(linesOf(end).map(({ text }) => text)).toEqual(texts.slice(at + 1));
  });

  it('are read back after every truncation: the whole lines, and the beginning of the next one', () => {
    const text = 'one\n{"two":2}\nthree\n';
    for (let length = 0; length <= text.length; length += 1) {
      writeFileSync(path, text.slice(0, length));
      const whole = text.slice(0, length).split('\n').slice(0, -1);
      const cut = text.slice(0, length).split('\n').at(-1);
      const lines = linesOf();
      expect(lines.filter(({ isWhole }) => isWhole).map((line) => line.text)).toEqual(whole);
      expect(lines.filter(({ isWhole }) => !isWhole).map((line) => line.text)).toEqual(cut ? [cut] : []);
    }
  });

  it('never continue a truncated line', () => {
    writeFileSync(path, 'one\ntw', { mode: 0o600 });
    const ledger = openPrivateLedger(path, process.platform);
    ledger.append('three\n');
    ledger.append('four\nfive\n');
    ledger.close();
    expect(content()).toBe('one\ntw\nthree\nfour\nfive\n');
  });

  it('take the place of a truncated line that was removed', () => {
    writeFileSync(path, 'one\ntw');
    const ledger = openLedger(path, accept, UNGUARDED);
    const [first] = readLines(ledger.descriptor);
    ledger.truncate(first?.end ?? 0);
    expect(content()).toBe('one\n');
    ledger.append('two\n');
    ledger.close();
    expect(content()).toBe('one\ntwo\n');
  });

  it('are added at the end, whatever another process has appended meanwhile', () => {
    const ledger = openLedger(path, accept, UNGUARDED);
    ledger.append('one\n');
    appendFileSync(path, 'two\n');
    ledger.append('three\n');
    ledger.close();
    expect(content()).toBe('one\ntwo\nthree\n');
  });
});

// Acceptance, H2: who has lost the lock stops before the next row.
describe('the guard of a ledger', () => {
  it('stops each append of a process that has lost its lock', () => {
    let isLost = false;
    const check = (): void => {
      if (isLost) throw new Error('lost');
    };
    const ledger = openLedger(path, accept, { check });
    ledger.append('one\n');
    isLost = true;
    expect(() => ledger.append('two\n')).toThrow('lost');
    ledger.close();
    expect(content()).toBe('one\n');
  });

  it('hears of the end of each sync', async () => {
    const events: string[] = [];
    const onSynced = (): void => {
      events.push('synced');
    };
    const ledger = openLedger(path, accept, { check: () => events.push('checked'), onSynced });
    ledger.append('one\n');
    await ledger.sync();
    ledger.syncNow();
    ledger.close();
    expect(events).toEqual(['checked', 'synced', 'synced']);
  });
});

// Acceptance, S2: files that hold keys are private. Records of people are, too.
describe('a ledger that svc does not use', () => {
  const { O_CREAT, O_EXCL } = constants;

  it('is new with mode 0600', () => {
    openPrivateLedger(path, process.platform, O_CREAT).close();
    openLedger(join(folder, 'other'), accept, UNGUARDED).close();
    expect([path, join(folder, 'other')].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o600]);
  });

  it('is open to other users, and stays as it is', () => {
    writeFileSync(path, 'one\ntw');
    chmodSync(path, 0o644);
    expect(() => openPrivateLedger(path, process.platform)).toThrow('is open to other users');
    const refuse = (): never => {
      throw new Error('not mine');
    };
    expect(() => openLedger(path, refuse, UNGUARDED)).toThrow('not mine');
    expect([content(), statSync(path).mode & 0o777]).toEqual(['one\ntw', 0o644]);
  });

  it('is missing, or exists although it must be new', () => {
    expect(() => openPrivateLedger(path, process.platform)).toThrow(
      expect.objectContaining({ name: 'FileError', kind: 'missing' }),
    );
    expect(existsSync(path)).toBe(false);
    openPrivateLedger(path, process.platform, O_CREAT | O_EXCL).close();
    expect(() => openPrivateLedger(path, process.platform, O_CREAT | O_EXCL)).toThrow('EEXIST');
  });

  it('is a link', () => {
    const elsewhere = join(folder, 'elsewhere');
    writeFileSync(elsewhere, 'as it was', { mode: 0o600 });
    symlinkSync(elsewhere, path);
    expect(() => openPrivateLedger(path, process.platform)).toThrow('is a symbolic link');
    expect(() => openLedger(path, accept, UNGUARDED)).toThrow('ELOOP');
    expect(readFileSync(elsewhere, 'utf8')).toBe('as it was');
  });

  // Not even root can create a file in /proc/self.
  it.each([
    ['a missing folder', () => join(folder, 'no', 'ledger')],
    ['a folder that accepts no files', () => '/proc/self/ledger'],
    ['the place of a folder', () => folder],
  ])('would be in %s', (_, placeOf) => {
    const place = placeOf();
    expect(() => openPrivateLedger(place, process.platform, O_CREAT)).toThrow(place);
    expect(() => openLedger(place, accept, UNGUARDED)).toThrow(place);
  });

  it.skipIf(!existsSync('/dev/full'))('is on a full disk', () => {
    const ledger = openLedger('/dev/full', accept, UNGUARDED);
    expect(() => ledger.append('one\n')).toThrow('ENOSPC');
    ledger.close();
  });
});
