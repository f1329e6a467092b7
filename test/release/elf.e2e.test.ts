/** docs/install.md, "Size": the executable for Linux has no symbols that only a debugger reads. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withoutSymbols } from '../../.config/release/elf.js';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const hasCompiler = ['cc', 'readelf'].every((tool) => spawnSync(tool, ['--version']).status === 0);
describe.skipIf(!hasCompiler || process.platform !== 'linux')('a program without its symbols', () => {
  it('is smaller, runs, and has what the loader needs', async () => {
    const folder = await makeTemporaryFolder('elf');
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const at = (name: string) => join(folder, name);
    writeFileSync(
      at('main.c'),
      '#include <stdio.h>\nstatic int twice(int n) { return n + n; }\nint main(void) { printf("%d\\n", twice(21)); return 0; }\n',
    );
    execFileSync('cc', ['-g', '-o', at('whole'), at('main.c')]);
    const whole = readFileSync(at('whole'));
    const smaller = withoutSymbols(whole);
    writeFileSync(at('smaller'), smaller, { mode: 0o755 });
    expect(smaller.length).toBeLessThan(whole.length);
    expect(execFileSync(at('smaller'), { encoding: 'utf8' })).toBe('42\n');
    const sections = (name: string) =>
      [...execFileSync('readelf', ['-SW', at(name)], { encoding: 'utf8' }).matchAll(/\] (\.\S+)/g)].map(
        ([, each]) => each,
      );
    expect(sections('whole')).toEqual(expect.arrayContaining(['.symtab', '.strtab', '.debug_info']));
    const gone = sections('whole').filter((each) => !sections('smaller').includes(each));
    expect(gone.filter((each) => !each?.startsWith('.debug'))).toEqual(['.symtab', '.strtab']);
    expect(spawnSync('readelf', ['-aW', at('smaller')], { encoding: 'utf8' }).stderr).toBe('');
    expect(withoutSymbols(smaller).equals(smaller)).toBe(true);
  });

  it('cannot be made from another kind of file', () => {
    expect(() => withoutSymbols(Buffer.from('#!/bin/sh\necho 42\n'.padEnd(64)))).toThrow(
      'not a 64-bit ELF file',
    );
  });
});
