/** Reads the comments of HTML for mail programs that do not treat all of them as comments. */

export type CommentMeaning =
  /** `<!--[if mso]>…<![endif]-->`: programs that know the condition, such as Outlook, show the HTML inside. */
  | { readonly kind: 'conditional'; readonly condition: string; readonly html: string }
  /** `<![if !mso]>` or `<!--[if !mso]><!-->`: programs that know the condition may leave out what follows. */
  | { readonly kind: 'begin'; readonly condition: string }
  /** `<![endif]>` or `<!--<![endif]-->`: ends `begin`. */
  | { readonly kind: 'end' }
  /** A comment with HTML inside. A program that finds its end elsewhere shows the HTML. */
  | { readonly kind: 'html'; readonly html: string }
  | { readonly kind: 'none' };

/**
 * Returns the meaning of a comment.
 * @param data the text between `<!--` and `-->`
 */
export function readComment(data: string): CommentMeaning {
  const opening = /^\s{0,100}\[if([^\]]{0,1000})\]/i.exec(data);
  if (opening) {
    const condition = (opening[1] ?? '').trim();
    const html = withoutEnd(data.slice(opening[0].length).replace(/^\s{0,100}>/, ''));
    return /^\s*(?:<!-{0,2})?$/.test(html.trimEnd())
      ? { kind: 'begin', condition }
      : { kind: 'conditional', condition, html };
  }
  if (/^\s{0,100}(?:<!)?\[endif\]/i.test(data)) return { kind: 'end' };
  if (data.startsWith('[CDATA[')) return { kind: 'html', html: data.slice('[CDATA['.length) };
  return /[<>]/.test(data) ? { kind: 'html', html: data } : { kind: 'none' };
}

function withoutEnd(html: string): string {
  const text = html.trimEnd();
  const end = text.toLowerCase().lastIndexOf('<![endif]');
  return end >= 0 && end + '<![endif]'.length === text.length ? text.slice(0, end) : html;
}
