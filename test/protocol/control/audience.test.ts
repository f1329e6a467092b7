/** Contract, "The everyday screen": `--audience lively|quiet|none` or `opens=30%,clicks=4%`. */
import { describe, expect, it } from 'vitest';
import { AUDIENCES, readAudience, readPercent } from '../../../src/protocol/control/audience.ts';

describe('an audience', () => {
  it.each(['lively', 'quiet', 'none'] as const)('%s is known by its name', (name) => {
    expect(readAudience(name)).toEqual({ shares: AUDIENCES[name] });
  });

  it('takes shares, and 0 for what is not named', () => {
    expect(readAudience('opens=30%, clicks=4%,complaints=0.02%')).toEqual({
      shares: { open: 0.3, click: 0.04, unsubscribe: 0, complaint: 0.0002, bounce: 0 },
    });
  });

  it.each([
    ['loud', 'is not an audience', 'lively, quiet, none'],
    ['opens=0.3', 'is not a share', 'opens=30%'],
    ['opens=130%', 'is not a share', 'opens=30%'],
    ['opened=30%', 'is not a reaction', 'opens, clicks'],
    ['opens=30%,opens=40%', 'given twice', 'once'],
    ['opens=90%,bounces=20%', 'over 100% together', 'smaller'],
    ['opens=', 'is not a share', 'opens=30%'],
  ])('refuses %s', (text, fault, instead) => {
    const read = readAudience(text);
    expect(read).toMatchObject({
      fault: expect.stringContaining(fault),
      instead: expect.stringContaining(instead),
    });
  });
});

describe('a share', () => {
  it.each([
    ['35%', 0.35],
    ['0.02%', 0.0002],
    ['100%', 1],
    ['0%', 0],
    ['35 %', 0.35],
  ])('%s', (text, share) => expect(readPercent(text)).toBeCloseTo(share, 10));

  it.each(['35', '0.35', '101%', '-1%', '%', '', '1e1%'])('refuses %o', (text) =>
    expect(readPercent(text)).toBeUndefined(),
  );
});
