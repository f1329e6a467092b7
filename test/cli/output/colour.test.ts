import { describe, expect, it } from 'vitest';
import { isColourWanted, loadColourPainter } from '../../../src/cli/output/colour.ts';

// Contract, "Global flags": `--no-color`, NO_COLOR, FORCE_COLOR; "Output": no colour without a terminal.
describe('isColourWanted', () => {
  it.each([
    ['a terminal', {}, true, false, true],
    ['no terminal', {}, false, false, false],
    ['--no-color', { FORCE_COLOR: '1' }, true, true, false],
    ['NO_COLOR', { NO_COLOR: '1' }, true, false, false],
    ['NO_COLOR before FORCE_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false, false],
    ['an empty NO_COLOR', { NO_COLOR: '' }, true, false, true],
    ['FORCE_COLOR without a terminal', { FORCE_COLOR: '1' }, false, false, true],
    ['an empty FORCE_COLOR', { FORCE_COLOR: '' }, false, false, true],
    ['FORCE_COLOR=0', { FORCE_COLOR: '0' }, true, false, false],
    ['FORCE_COLOR=false', { FORCE_COLOR: 'false' }, true, false, false],
    ['a dumb terminal', { TERM: 'dumb' }, true, false, false],
    ['CLICOLOR_FORCE without a terminal', { CLICOLOR_FORCE: '1' }, false, false, true],
    ['CLICOLOR_FORCE=0', { CLICOLOR_FORCE: '0' }, false, false, false],
    ['NO_COLOR before CLICOLOR_FORCE', { NO_COLOR: '1', CLICOLOR_FORCE: '1' }, true, false, false],
    ['CLICOLOR=0', { CLICOLOR: '0' }, true, false, false],
    ['CLICOLOR=1 without a terminal', { CLICOLOR: '1' }, false, false, false],
    ['FORCE_COLOR before CLICOLOR=0', { FORCE_COLOR: '1', CLICOLOR: '0' }, true, false, true],
    ['FORCE_COLOR on a dumb terminal', { TERM: 'dumb', FORCE_COLOR: '1' }, true, false, true],
  ])('%s', (_, env, isTTY, flag, wanted) => {
    expect(isColourWanted(env, { isTTY }, flag)).toBe(wanted);
  });
});

describe('loadColourPainter', () => {
  it('adds sequences only if colour is on', async () => {
    expect((await loadColourPainter(false)).error('svc:')).toBe('svc:');
    expect((await loadColourPainter(true)).error('svc:')).toMatch(/^\x1b\[.*svc:.*\x1b\[/);
  });
});
