/** Writes the shell commands that send a logged request again with `curl`, under a new signature. */
import { quoteShellWord } from '../../kit/text/words.ts';
import { canonicalString } from '../../service/auth/sign.ts';
import { headerNames, type Naming } from '../../service/protocol/naming.ts';

interface SentRequest {
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Headers that `curl` sets itself, or that differ in each attempt. */
const OMITTED: ReadonlySet<string> = new Set([
  ...['authorization', 'connection', 'content-length', 'date', 'expect', 'host', 'keep-alive'],
  ...['transfer-encoding', 'accept-encoding', 'user-agent'],
]);

export function buildCurlScript(
  { method, path, headers, body }: SentRequest,
  baseUrl: string,
  naming: Naming,
): string {
  const names = headerNames(naming);
  const isPartner = headers['authorization']?.startsWith(`${naming.partnerScheme} `) === true;
  const isSigned = isPartner || headers['authorization']?.startsWith(`${naming.companyScheme} `) === true;
  const others = Object.entries(headers).filter(
    ([name, value]) => !OMITTED.has(name) && name !== names.nonce && !/\[(redacted|left out)\]/.test(value),
  );
  const lines = [
    `curl -i${method === 'HEAD' ? ' -I' : ` -X ${quoteShellWord(method)}`} ${quote(baseUrl + path)}`,
    ...others.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(isSigned ? signedHeaders(isPartner ? naming.partnerScheme : naming.companyScheme, names.nonce) : []),
    ...(!isSigned && headers['authorization'] !== undefined ? ['-H "Authorization: $AUTHORIZATION"'] : []),
    ...(body === null || body === '' ? [] : [`--data-binary ${quote(body)}`]),
  ];
  const signing = isSigned ? signingLines(method, path, headers, isPartner, naming) : [];
  return [...signing, lines.join(' \\\n  ')].join('\n');
}

const signedHeaders = (scheme: string, nonce: string): readonly string[] => [
  '-H "Date: $date"',
  `-H "${nonce}: $nonce"`,
  `-H "Authorization: ${scheme} signature=\\"$signature\\""`,
];

/** Returns the commands that set `date`, `nonce` and `signature`. */
function signingLines(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  isPartner: boolean,
  naming: Naming,
): readonly string[] {
  const names = headerNames(naming);
  // A placeholder without special characters, which no header contains.
  const [date, nonce, key] = ['\u0001', '\u0002', '\u0003'];
  const format = canonicalString(
    {
      ...{ method, path: target.split('?')[0] ?? target, date, nonce },
      partnerId: isPartner ? headers[names.pid] : undefined,
      ...{ companyId: headers[names.cid], userId: headers[names.uid] },
    },
    key,
    naming,
  )
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
    .replaceAll('\r\n', '\\r\\n')
    .replaceAll(/[\u0001-\u0003]/g, '%s');
  return [
    "date=$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')",
    'nonce=$(openssl rand -hex 20)',
    `signature=$(printf ${quote(format)} "$date" "$nonce" "$${isPartner ? 'SVC_PARTNER_API_KEY' : 'SVC_API_KEY'}" | openssl dgst -sha1 -r | cut -d ' ' -f 1)`,
  ];
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
