/** Marks the parts of an HTML source, line by line: tags, attributes, comments and personalisation tags. */
import { findMaskedTags, type Span, visitHtml } from '../../kit/text/html-tokens.ts';
import { type Html, html } from './parts.ts';

type Kind = 'tag' | 'attribute' | 'comment' | 'field';

interface Mark extends Span {
  readonly kind: Kind;
}

/** Maximum number of marked parts. The rest is shown without marks, because a browser is slow with more elements. */
const MAX_MARKS = 20_000;

/** Returns each of the first `most` lines, with classes for its parts. */
export function markHtmlLines(source: string, most: number): readonly Html[] {
  const marks = marksIn(source);
  const lines: Html[] = [];
  let [at, next] = [0, 0];
  for (const line of source.split('\n').slice(0, most)) {
    const end = at + line.length;
    const pieces: (string | Html)[] = [];
    for (let mark = marks[next]; mark !== undefined && mark.start < end; mark = marks[next]) {
      const [from, to] = [Math.max(at, mark.start), Math.min(end, mark.end)];
      pieces.push(source.slice(at, from));
      if (to > from) pieces.push(html`<span class="${mark.kind}">${source.slice(from, to)}</span>`);
      at = Math.max(from, to);
      // A mark over several lines goes on in the next one.
      if (mark.end > end) break;
      next += 1;
    }
    pieces.push(source.slice(at, end));
    lines.push(html`${pieces}`);
    at = end + 1;
  }
  return lines;
}

/** Returns the marks in the order of their places. They do not overlap. */
function marksIn(source: string): readonly Mark[] {
  const found: Mark[] = [];
  const add = (kind: Kind, { start, end }: Span): void => {
    if (end > start && found.length < MAX_MARKS) found.push({ start, end, kind });
  };
  visitHtml(source, {
    onStartTag: (tag) => {
      const attributes = tag.attributeNames
        .flatMap((name) => tag.spanOf(name) ?? [])
        .sort((a, b) => a.start - b.start);
      let { start } = tag;
      for (const attribute of attributes) {
        add('tag', { start, end: attribute.start });
        add('attribute', attribute);
        start = attribute.end;
      }
      add('tag', { start, end: tag.end });
    },
    onEndTag: (tag) => add('tag', tag),
    onComment: (_, span) => add('comment', span),
    onDoctype: (span) => add('comment', span),
    onText: (_, { start, end }) => {
      for (const tag of findMaskedTags(source.slice(start, end)))
        add('field', { start: start + tag.start, end: start + tag.end });
    },
  });
  return found;
}
