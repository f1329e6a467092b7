/** The browser page for a message, which may contain any HTML. */
import { describe, expect, it } from 'vitest';
import { createPreviewPage } from '../../../../src/cli/nouns/message/browser-preview.ts';

const headOf = (page: string): string =>
  /<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="[^"]*">/.exec(page)?.[0] ?? '';

describe('the page of a preview', () => {
  it.each([
    ['<p>A</p>', '', '<p>A</p>'],
    ['<!doctype html>\n<html lang="en"><p>A', '<!doctype html>', '\n<html lang="en"><p>A'],
    ['<!-- a --><!DOCTYPE html><p>A', '<!-- a --><!DOCTYPE html>', '<p>A'],
    // A late doctype must not move the policy behind the content that it restricts.
    ['<script>1</script><!doctype html><p>A', '', '<script>1</script><!doctype html><p>A'],
    ['text<!doctype html><p>A', '', 'text<!doctype html><p>A'],
    ['</p><!doctype html><p>A', '', '</p><!doctype html><p>A'],
    // A doctype in a comment does not count.
    ['<!-- <!doctype html> --><script>1</script>', '', '<!-- <!doctype html> --><script>1</script>'],
  ])('%j has its policy before everything except the doctype', (html, before, after) => {
    const page = createPreviewPage(html, { allowsNetwork: true });
    expect(page).toBe(before + headOf(page) + after);
    expect(headOf(page)).toContain("default-src 'none'; ");
  });

  it('has images from the web only with a network, and never images of this machine', () => {
    expect(headOf(createPreviewPage('', { allowsNetwork: true }))).toContain('img-src data: https: http:;');
    expect(headOf(createPreviewPage('', { allowsNetwork: false }))).toContain('img-src data:;');
    for (const allowsNetwork of [true, false])
      expect(createPreviewPage('', { allowsNetwork })).not.toContain('file:');
  });

  it('has no link that leads elsewhere', () => {
    const html =
      '<p>A<META http-equiv=" Refresh" content="0;url=file:///etc/passwd">B<meta http-equiv=refresh content=1>C';
    const page = createPreviewPage(html, { allowsNetwork: true });
    expect(page.replace(headOf(page), '')).toBe('<p>ABC');
  });
});
