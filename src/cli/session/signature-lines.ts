/** Formats the lines that `--explain-signature` prints about a request and its response. */

import type { SignedText, TraceEvent } from '../../client/requests/connection.ts';
import { MAX_DATE_HEADER_CLOCK_SKEW_MS } from '../../client/requests/recovery/settle.ts';
import { formatDuration } from '../../kit/text/duration.ts';
import { API_KEY_PLACEHOLDERS } from '../../service/auth/sign.ts';
import { parseHttpDate } from '../../service/protocol/wire.ts';

export function formatSignatureTrace(event: TraceEvent): readonly string[] | undefined {
  if (event.signed === undefined) return undefined;
  if (event.kind === 'request') return requestLines(event, event.signed);
  const line = event.kind === 'answer' ? responseLine(event, event.signed) : undefined;
  return line === undefined ? undefined : [line];
}

/** The last line is a placeholder, not the API key. */
export const formatSignedTextLines = ({ canonical }: Pick<SignedText, 'canonical'>): readonly string[] =>
  canonical.split('\r\n').map((line, index, lines) => `  ${line}${index + 1 < lines.length ? '\\r\\n' : ''}`);

/** The last line of `canonical` is a placeholder for the key. */
export function formatOpensslSignCommand({ canonical }: Pick<SignedText, 'canonical'>): string {
  const lines = canonical.split('\r\n');
  const variable = lines.at(-1) === API_KEY_PLACEHOLDERS.partner ? 'SVC_PARTNER_API_KEY' : 'SVC_API_KEY';
  const format = lines.slice(0, -1).map((line) => `${escapeForPrintf(line)}\\r\\n`);
  return `printf '${format.join('')}%s' "$${variable}" | openssl dgst -sha1`;
}

const escapeForPrintf = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll("'", "'\\''");

function requestLines(
  { method, path, query, attempt, headers }: TraceEvent & { readonly kind: 'request' },
  signed: SignedText,
): readonly string[] {
  const which = `${method} ${path}${attempt === 1 ? '' : ` (attempt ${attempt})`}`;
  return [
    `Signature of ${which}: SHA-1 of the following lines. \\r\\n is CR LF; the last line is a placeholder for the API key.`,
    ...formatSignedTextLines(signed),
    `Headers sent${query === '' ? '' : ' (the query is not signed)'}:`,
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`),
    'To check the key, run this command. The hash that it prints must begin with the 6 signature characters above:',
    `  ${formatOpensslSignCommand(signed)}`,
  ];
}

/** The service's 401 has the same text for every cause (wire, "Responses"), so the line helps to tell a wrong clock from a wrong key. */
function responseLine(
  { status, headers }: TraceEvent & { readonly kind: 'answer' },
  { date }: SignedText,
): string | undefined {
  const { date: service } = headers;
  const [ours, theirs] = [parseHttpDate(date), parseHttpDate(service ?? '')];
  const apart = ours === undefined || theirs === undefined ? undefined : Math.abs(theirs - ours);
  const most = formatDuration(MAX_DATE_HEADER_CLOCK_SKEW_MS / 1000);
  if (apart !== undefined && apart > MAX_DATE_HEADER_CLOCK_SKEW_MS)
    return (
      `The response is ${status}. The clocks are ${formatDuration(Math.floor(apart / 1000))} apart, but the service allows only ${most}. ` +
      `Date of the request: ${date}; Date of the response: ${service}.`
    );
  if (status !== 401) return undefined;
  const clocks =
    service === undefined
      ? 'The response has no Date header, so svc cannot compare the clocks.'
      : `The clocks differ by at most ${most}. Date of the request: ${date}; Date of the response: ${service}.`;
  return `The response is 401. ${clocks} An id or the key is wrong, or the service reads one of these lines differently.`;
}
