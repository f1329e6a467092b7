/** Contract, "Campaigns as files": content with its original links, as far as emailMessageLink returns them. */
import { expect, it } from 'vitest';
import type { LinkRecord } from '../../src/features/campaign/model.ts';
import { restoreLinks } from '../../src/features/campaign/original-links.ts';

const link = (id: number, target: string, type = 'html') =>
  ({ id, target, type, name: null }) as unknown as LinkRecord;
const html = (...hrefs: string[]) => hrefs.map((href) => `<a href="${href}">x</a>`).join('');

it.each([
  [
    'by the id in the address, also of two that lead to the same',
    html('https://t.example/t/c/8', 'https://t.example/t/c/7', 'https://t.example/t/c/8'),
    [link(7, 'https://a.example/'), link(8, 'https://a.example/')],
    {
      text: html('https://a.example/', 'https://a.example/', 'https://a.example/'),
      isComplete: true,
      isGuessed: false,
    },
  ],
  [
    'in their order if the addresses have no ids, and says so',
    html('https://t.example/x1', 'https://t.example/x2'),
    [link(12, 'https://b.example/?a=1&b="2"'), link(9, 'https://a.example/')],
    {
      text: html('https://a.example/', 'https://b.example/?a=1&amp;b=&quot;2&quot;'),
      isComplete: true,
      isGuessed: true,
    },
  ],
  [
    'by the id alone if the host is a numeric address',
    html('http://127.0.0.1:4010/t/c/1', 'http://127.0.0.1:4010/t/c/3'),
    [link(3, 'https://c.example/'), link(1, 'https://a.example/')],
    { text: html('https://a.example/', 'https://c.example/'), isComplete: true, isGuessed: false },
  ],
  [
    'not by a number that all addresses have',
    html('https://t.example/5/x', 'https://t.example/5/y', 'https://t.example/5/z'),
    [link(5, 'https://a.example/'), link(6, 'https://b.example/')],
    {
      text: html('https://t.example/5/x', 'https://t.example/5/y', 'https://t.example/5/z'),
      isComplete: false,
      isGuessed: false,
    },
  ],
  [
    'of some links, if the others are unknown',
    html('https://t.example/t/c/7', 'https://t.example/t/c/99', 'mailto:a@example.com'),
    [
      link(7, 'https://a.example/'),
      link(8, 'https://b.example/', 'text'),
      link(9, 'https://c.example/'),
      link(10, 'https://c.example/'),
    ],
    {
      text: html('https://a.example/', 'https://t.example/t/c/99', 'mailto:a@example.com'),
      isComplete: false,
      isGuessed: false,
    },
  ],
])('restores the targets %s', (_, part, links, expected) => {
  expect(restoreLinks(part, links, 'html')).toEqual(expected);
});

it('does not change a part without tracked links', () => {
  const text = 'See https://a.example/.';
  expect(restoreLinks(text, [link(1, 'https://b.example/')], 'text')).toEqual({
    text,
    isComplete: true,
    isGuessed: false,
  });
  expect(
    restoreLinks('See https://t.example/t/c/3.', [link(3, 'https://a.example/', 'text')], 'text').text,
  ).toBe(text);
});
