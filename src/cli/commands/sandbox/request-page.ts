/**
 * Builds the page of `svc sandbox requests --explain ID`, which shows what is wrong with a request, and the string that its client had to
 * sign.
 */
import type { Json, JsonObject } from '../../../protocol/json.ts';
import type { PageBlock, PageSection, TermWithText, TextPage } from '../../../report/text-page.ts';
import { escapeForTerminal } from '../../../text/terminal.ts';
import { formatOpensslSignCommand, formatSignedTextLines } from '../../session/signature-lines.ts';

/** Returns the page that explains a request. @param row a row of the operation `requests`, requested with `explain` */
export function createRequestExplanationPage(row: JsonObject): TextPage {
  const { id, method, path } = row;
  const fields = Array.isArray(row['fields']) ? row['fields'].map(readField) : [];
  const wrong = fields.filter(({ problem }) => problem !== undefined);
  const right = fields.filter(({ problem }) => problem === undefined);
  return {
    title: escapeForTerminal(`Request ${String(id)}: ${String(method)} ${String(path)}`),
    sections: [
      { title: 'Response', blocks: [{ kind: 'paragraph', text: answerWords(row) }] },
      termSection('Wrong', wrong.map(wrongTerm)),
      termSection(
        'Right',
        right.flatMap(({ field, sent }) => (sent === undefined ? [] : [{ term: field, text: sent }])),
      ),
      { title: 'String to sign', blocks: signedBlocks(row) },
    ],
  };
}

interface Field {
  readonly field: string;
  readonly sent: string | undefined;
  readonly problem: string | undefined;
}

function readField(value: Json): Field {
  const { field, sent, problem } = Object(value) as JsonObject;
  const text = (each: Json | undefined): string | undefined =>
    typeof each === 'string' ? escapeForTerminal(each) : undefined;
  return { field: text(field) ?? '', sent: text(sent), problem: text(problem) };
}

const termSection = (title: string, terms: readonly TermWithText[]): PageSection => ({
  title,
  blocks: terms.length === 0 ? [] : [{ kind: 'terms', terms }],
});

const wrongTerm = ({ field, sent, problem }: Field): TermWithText => ({
  term: field,
  text: `${problem}.${sent === undefined ? '' : ` Sent: ${sent}`}`,
});

function answerWords({ status, who, milliseconds, message, why, check }: JsonObject): string {
  const from = who === null ? 'a client without ids' : String(who);
  const head =
    status === null
      ? `${from} got no response`
      : `${String(status)} to ${from}, after ${String(milliseconds)} ms`;
  // A 401 has the same text for every cause. The headers of the request show more.
  const said = typeof message === 'string' && message !== '' ? message : undefined;
  const injected = check === null && typeof why === 'string' ? why : undefined;
  const told = injected ?? said;
  if (told !== undefined) return escapeForTerminal(`${head}: ${told}.`);
  return `${head}. ${Number(status) < 400 ? 'The request has no problem.' : 'The response gave no reason.'}`;
}

function signedBlocks({ signed, signature, expected, check }: JsonObject): readonly PageBlock[] {
  if (typeof signed !== 'string') return [];
  const canonical = signed
    .split('\r\n')
    .map((line) => escapeForTerminal(line))
    .join('\r\n');
  const lines: PageBlock = {
    kind: 'verbatim',
    lines: formatSignedTextLines({ canonical }).map((line) => line.trimStart()),
  };
  const legend = '\\r\\n is CR LF, and the API key ends the text.';
  if (check === 'headers')
    return [{ kind: 'paragraph', text: `Words in angle brackets replace missing values. ${legend}` }, lines];
  const compared =
    typeof expected !== 'string'
      ? undefined
      : signature === expected
        ? 'The signature is correct.'
        : `The SHA-1 of these lines begins with ${expected}, but the signature of the request begins with ${String(signature)}.`;
  return [
    { kind: 'paragraph', text: legend },
    lines,
    ...(compared === undefined ? [] : [{ kind: 'paragraph', text: compared } as const]),
    {
      kind: 'paragraph',
      text: 'To compute the signature, set the variable in this command to your key, then run the command:',
    },
    { kind: 'command', line: formatOpensslSignCommand({ canonical }) },
  ];
}
