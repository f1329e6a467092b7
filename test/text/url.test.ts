import { describe, expect, it } from 'vitest';
import { readUrl } from '../../src/text/url.ts';

describe('readUrl', () => {
  // `URL.canParse` of Node 20 says no to these once it has been asked some thousand times.
  it('reads letters beyond ASCII in any number of calls', () => {
    const hosts = new Set<string | undefined>();
    for (let at = 0; at < 200_000; at += 1) hosts.add(readUrl('https://münchen.example')?.host);
    expect([...hosts]).toEqual(['xn--mnchen-3ya.example']);
  });

  it.each(['', 'no url', 'https://', '//host'])('finds none in %j', (text) => {
    expect(readUrl(text)).toBeUndefined();
  });
});
