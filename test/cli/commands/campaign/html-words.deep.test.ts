/** Acceptance, F4: no text of a message makes the page of a plan hang. */
import { expect, it } from 'vitest';
import { describeMessage } from '../../../../src/cli/commands/campaign/message-words.ts';
import { DEFAULT_CONTENT_MARKUP_NAMES } from '../../../../src/kit/schema/resource.ts';
import { tried } from '../../../support/depth.ts';

it.each([
  ...[
    '<',
    '<a ',
    '<a href="',
    '<!--',
    '<!--[if a]>',
    '<![if a]>x',
    '</',
    '&',
    '"',
    ' ',
    '\u2003',
    '\u00a0 ',
    '{{',
    '{%',
  ],
  ...[
    '{{ email }}',
    '{% if email %}',
    '<p title="{{ email }}">',
    '<!-- < --!>',
    '<svg><style>',
    '<style>content:"',
  ],
  ...[
    '<style>(',
    '<style>\\',
    '<style>/*',
    '<style>url(',
    '<p style="content:\'x\'">',
    '<iframe srcdoc="',
    '<template>',
  ],
  ...[
    '<h1><div>',
    '<ol><li>',
    '<blockquote>',
    '<table>x<tr>',
    '<select><table>',
    '<b><p>',
    '<font a>',
    '<title>',
    '<br>',
  ],
  ...[
    '<img srcset="a,',
    '<base href="//a/',
    '<a href="data:text/html,',
    '<a title=x>',
    '<object>',
    '<![CDATA[',
    '<noembed><p>',
  ],
])('100 kB of %j end', (unit) => {
  const html = `x${unit.repeat(100_000 / unit.length)}y`;
  expect(describeMessage('email', { html }, DEFAULT_CONTENT_MARKUP_NAMES).length).toBeGreaterThan(0);
  tried('F4', 1);
});
