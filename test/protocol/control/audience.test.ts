/** Contract, "The everyday screen": `--audience lively|quiet|none` or `opens=30%,clicks=4%`. */
import { describe, expect, it } from 'vitest';
import {
  parseRecipientReactionShares,
  REACTION_SHARE_PRESETS,
} from '../../../src/service/protocol/control/audience.ts';

describe('an audience', () => {
  it.each(['lively', 'quiet', 'none'] as const)('has a known name: %s', (name) => {
    expect(parseRecipientReactionShares(name)).toEqual({ shares: REACTION_SHARE_PRESETS[name] });
  });

  it('accepts shares, and sets missing ones to 0', () => {
    expect(parseRecipientReactionShares('opens=30%, clicks=4%,complaints=0.02%')).toEqual({
      shares: { open: 0.3, click: 0.04, unsubscribe: 0, complaint: 0.0002, bounce: 0 },
    });
  });

  it.each([
    ['in capitals, with blanks', ' LIVELY ', REACTION_SHARE_PRESETS.lively],
    ['100 % in all', 'opens=80%,bounces=20%', { ...REACTION_SHARE_PRESETS.none, open: 0.8, bounce: 0.2 }],
    ['bounces alone', 'bounces=60%', { ...REACTION_SHARE_PRESETS.none, bounce: 0.6 }],
    [
      'a sum that a double rounds up',
      'opens=33.3%,bounces=66.7%',
      { ...REACTION_SHARE_PRESETS.none, open: 0.333, bounce: 0.667 },
    ],
  ])('accepts %s', (_name, text, shares) => {
    const read = parseRecipientReactionShares(text);
    if (!('shares' in read)) throw new Error(read.fault);
    for (const [reaction, share] of Object.entries(shares))
      expect(read.shares[reaction as keyof typeof shares]).toBeCloseTo(share, 10);
  });

  it.each([
    [
      'loud',
      'is not a valid description of how many recipients react',
      'lively (many reactions), quiet (few reactions), none',
    ],
    ['opens=0.3', 'is not a percentage', 'opens=30%'],
    ['opens=130%', 'is not a percentage', 'opens=30%'],
    ['opened=30%', 'is not a reaction', 'opens, clicks'],
    ['opens=30%,opens=40%', 'given twice', 'once'],
    ['opens=90%,bounces=20%', 'together exceed 100%', 'smaller'],
    ['opens=', 'is not a percentage', 'opens=30%'],
    ['=30%', '"" is not a reaction', 'opens, clicks'],
    ['opens=30%,x', '"x" is not a reaction', 'opens, clicks'],
    ['opens=60%,clicks=90%,bounces=20%', 'clicks and bounces together exceed 100%', 'smaller'],
    ['opens=90%,clicks=90%,bounces=20%', 'opens and bounces together exceed 100%', 'smaller'],
    ['clicks=50%,bounces=50.001%', 'together exceed 100%', 'smaller'],
  ])('rejects %s', (text, fault, instead) => {
    const read = parseRecipientReactionShares(text);
    expect(read).toMatchObject({
      fault: expect.stringContaining(fault),
      instead: expect.stringContaining(instead),
    });
  });
});
