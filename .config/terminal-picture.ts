/** Draws the output of a terminal as an SVG picture, for documents that show colors. */
import { escapeForXml } from '../src/service/lint/ci-formats.ts';

const COLUMNS = 80;
const CELL = { width: 7.8, height: 18 };
const MARGIN = 14;

/** Colors of GitHub's dark theme, by the numbers of ANSI colors. */
const COLOURS: Readonly<Record<string, string>> = { 31: '#ff7b72', 32: '#7ee787', 90: '#8b949e' };
const PLAIN = '#e6edf3';

interface Style {
  readonly colour: string;
  readonly bold: boolean;
}

interface Run extends Style {
  text: string;
}

/** @param output text with ANSI colors. Lines longer than 80 columns continue on the next one, as in a terminal. */
export function terminalPicture(output: string, title: string): string {
  const lines = output.trimEnd().split('\n').flatMap(wrapped);
  const width = Math.ceil(COLUMNS * CELL.width + 2 * MARGIN);
  const height = lines.length * CELL.height + 2 * MARGIN;
  const texts = lines.map((runs, index) => {
    const spans = runs.map(
      ({ text, colour, bold }) =>
        `<tspan fill="${colour}"${bold ? ' font-weight="bold"' : ''}>${escapeForXml(text)}</tspan>`,
    );
    return `<text x="${MARGIN}" y="${MARGIN + 13 + index * CELL.height}" xml:space="preserve">${spans.join('')}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13">`,
    `<title>${escapeForXml(title)}</title>`,
    `<rect width="100%" height="100%" rx="6" fill="#0d1117"/>`,
    ...texts,
    '</svg>',
    '',
  ].join('\n');
}

/** Returns the rows that the terminal needs for a line, each as runs of one style. */
function wrapped(line: string): readonly (readonly Run[])[] {
  const rows: Run[][] = [[]];
  let style: Style = { colour: PLAIN, bold: false };
  let column = 0;
  for (const [part, code] of line.matchAll(/\u001b\[(\d+)m|./g)) {
    if (code !== undefined) {
      style = styleAfter(style, code);
      continue;
    }
    if (column === COLUMNS) {
      rows.push([]);
      column = 0;
    }
    column += 1;
    const row = rows.at(-1) ?? [];
    const last = row.at(-1);
    if (last && last.colour === style.colour && last.bold === style.bold) last.text += part;
    else row.push({ text: part, ...style });
  }
  return rows;
}

function styleAfter(style: Style, code: string): Style {
  if (code === '1') return { ...style, bold: true };
  if (code === '22') return { ...style, bold: false };
  return { ...style, colour: COLOURS[code] ?? PLAIN };
}
