/** Signs a request as the interface's "Signature" says, independently of src/service/auth. Every part can be made wrong. */
import { createHash, randomBytes } from 'node:crypto';
import type { Method } from '../../src/kit/schema/resource.ts';
import type { WireRequest } from '../../src/service/protocol/wire.ts';
import { IDS, KEYS, NOW } from './sandbox.ts';

export interface Signing {
  readonly method?: Method;
  /** Path and query, as on the request line. */
  readonly target?: string;
  readonly pid?: number | string | undefined;
  readonly cid?: number | string | undefined;
  readonly uid?: number | string | undefined;
  readonly key?: string;
  /** The Date header, in seconds from NOW. */
  readonly date?: number;
  /** The Date header in another form. */
  readonly dateText?: string;
  readonly nonce?: string;
  readonly body?: string;
  readonly contentType?: string;
  /** The header prefix of a deployment. */
  readonly prefix?: string;
  readonly scheme?: string;
  /** Headers that replace the signed ones, with names in lower case. An undefined value removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** The admin of the tests' company. */
export const ADMIN = { cid: IDS.company, uid: IDS.admin, key: KEYS.company } as const;
/** The partner, who acts for that company as its admin. */
export const PARTNER = { pid: IDS.partner, cid: IDS.company, key: KEYS.partner } as const;

export function signing(parts: Signing): WireRequest {
  const { method = 'GET', target = '/v1/folder', prefix = 'X-Svc-', key = KEYS.company } = parts;
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const date = parts.dateText ?? new Date((NOW + (parts.date ?? 0)) * 1000).toUTCString();
  const nonce = parts.nonce ?? randomBytes(20).toString('hex');
  const ids = [
    ['PID', parts.pid],
    ['CID', parts.cid],
    ['UID', parts.uid],
  ].filter((entry): entry is [string, string | number] => entry[1] !== undefined);
  const lines = [
    `${method} ${path}`,
    `Date: ${date}`,
    ...ids.map(([name, id]) => `${prefix}${name}: ${id}`),
    `${prefix}Nonce: ${nonce}`,
    key,
  ];
  const signature = createHash('sha1').update(lines.join('\r\n')).digest('hex');
  const scheme = parts.scheme ?? (parts.pid === undefined ? 'SvcHash' : 'SvcPartner');
  const lower = prefix.toLowerCase();
  const headers: Record<string, string | undefined> = {
    date,
    accept: 'application/json',
    ...Object.fromEntries(ids.map(([name, id]) => [`${lower}${name.toLowerCase()}`, String(id)])),
    [`${lower}nonce`]: nonce,
    authorization: `${scheme} signature="${signature}"`,
    ...(parts.body === undefined ? {} : { 'content-type': parts.contentType ?? 'application/json' }),
    ...parts.headers,
  };
  return {
    method,
    path,
    query: mark < 0 ? '' : target.slice(mark + 1),
    headers: Object.fromEntries(
      Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    ...(parts.body === undefined ? {} : { body: parts.body }),
  };
}
