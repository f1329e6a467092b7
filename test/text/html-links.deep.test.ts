/** html-links.test.ts, with the longest messages. */
import { describe, expect, it } from 'vitest';
import { replaceHtmlLinks } from '../../src/kit/text/html-links.ts';
import { LONG_HTML } from './long-html.ts';

describe('the links of HTML', () => {
  // Attack M11: a slow message delays all other requests. Quadratic work would take minutes here.
  it.each(LONG_HTML)('are read in 1.5 MB of %s', { timeout: 20_000 }, (piece, times) => {
    const html = piece.repeat(times);
    const start = performance.now();
    expect(replaceHtmlLinks(html, () => undefined)).toBe(html);
    expect(performance.now() - start).toBeLessThan(15_000);
  });
});
