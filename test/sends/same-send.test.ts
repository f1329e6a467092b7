/** Contract, "Sends and campaigns, once more": "The same content to the same list at the same minute". Interface, "States": a deleted message is hidden. */
import { describe, expect, it } from 'vitest';
import { isSameMessage, isSameSend, type Send, toMinute } from '../../src/client/sends/same-send.ts';

describe('two sends', () => {
  const send: Send = { message: 'id:1', content: 'a', to: 'list 1', time: 600 };
  it.each<readonly [string, Partial<Send>, boolean]>([
    ['are the same', {}, true],
    ['are the same with another record of the same content', { message: 'id:2' }, true],
    ['are the same with a new version of the message', { content: 'b' }, true],
    ['are not the same with other content', { message: 'id:2', content: 'b' }, false],
    ['may be the same if the content is unknown', { message: 'id:2', content: undefined }, true],
    ['are the same until the minute ends', { time: 659 }, true],
    ['are not the same in another minute', { time: 660 }, false],
    ['are not the same to others', { to: 'list 2' }, false],
  ])('%s', (_name, more, expected) => {
    expect(isSameSend(send, { ...send, ...more })).toBe(expected);
    expect(isSameSend({ ...send, ...more }, send)).toBe(expected);
  });

  it('with unknown content do not certainly have the same message', () => {
    expect(
      isSameMessage({ message: 'id:1', content: undefined }, { message: 'id:2', content: undefined }),
    ).toBe(false);
    expect(toMinute(119)).toBe(1);
  });
});
