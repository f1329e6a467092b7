import { displayWidth, pieceOfWidth } from './display-width.ts';

/** Breaks lines at blanks so that none is wider than `width` columns, except for a longer word. Further lines are indented by two. */
export function wrapped(text: string, width: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    const indent = lines.length === 0 ? 0 : 2;
    if (line === '' || displayWidth(longer) + indent <= width) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
  }
  return [...lines, line].join('\n  ');
}

/** Breaks lines at blanks so that none is wider than `width` columns. A wider word is broken too, between characters. */
export function foldedLines(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((each) => piecesOf(each, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && displayWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

function piecesOf(word: string, width: number): readonly string[] {
  const pieces: string[] = [];
  let rest = word;
  while (displayWidth(rest) > width) {
    const piece = pieceOfWidth(rest, width);
    if (piece === rest) break;
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return [...pieces, rest];
}
