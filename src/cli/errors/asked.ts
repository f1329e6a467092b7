/** Whom a run asked and as whom, and where each of that was said: what to look at when it doesn't work. */
import { hostAndPort } from '../../client/failures.ts';
import type { Resolved } from '../../profiles/credentials.ts';

export interface Asked extends Pick<Resolved, 'baseUrl' | 'credentials' | 'naming' | 'sources'> {
  /** Name of the profile in use. */
  readonly profile: string | undefined;
  /** This machine's time, in milliseconds. */
  readonly now: number;
  /** The sandbox that has this address while it runs. */
  readonly sandbox?: SandboxStart | undefined;
}

export interface SandboxStart {
  /** Name of the profile by which it is known. */
  readonly profile: string;
  /** The command that starts it again, as a shell takes it. */
  readonly command: string;
  /** Whether its data is still there. */
  readonly hasData: boolean;
  readonly dataDir: string;
  /** Whether it speaks a deployment's own names, which a start without its data has to be given again. */
  readonly hasNaming: boolean;
  /** It spoke HTTPS, which a start has to be told again. */
  readonly hasTls: boolean;
}

/** `svc asked api.example.com:443 (profile prod).` The host alone: what else stands in an address may be a secret. */
export function addressWords({ baseUrl, sources, profile }: Asked): string {
  const own = `profile ${profile}`;
  const beside = profile === undefined || sources.baseUrl === own ? '' : `, with ${own}`;
  return `svc asked ${hostAndPort(baseUrl)} (${sources.baseUrl})${beside}.`;
}

/** The same with who signed: `… as company 42 and user 7 (profile prod), with the key from environment SVC_API_KEY.` */
export function signerWords(asked: Asked): string {
  const { baseUrl, credentials, sources, profile } = asked;
  const { companyId, userId } = credentials;
  const ids = [
    ...(credentials.kind === 'partner' ? [['partner', credentials.partnerId, sources.partner] as const] : []),
    ...(companyId === undefined ? [] : [['company', companyId, sources.company] as const]),
    ...(userId === undefined ? [] : [['user', userId, sources.user] as const]),
  ];
  const [first = ''] = ids.map(([, , source]) => source);
  const isOne = ids.every(([, , source]) => source === first);
  const named = ids.map(([what, id, source]) => `${what} ${id}${isOne ? '' : ` (${source})`}`);
  const who = `${named.join(' and ')}${isOne ? ` (${first})` : ''}`;
  const said = [sources.baseUrl, sources.key, ...ids.map(([, , source]) => source)].join();
  const beside = profile === undefined || said.includes(`profile ${profile}`) ? '' : `; profile ${profile}`;
  return `svc asked ${hostAndPort(baseUrl)} (${sources.baseUrl}) as ${who}, with the key from ${sources.key}${beside}.`;
}

/** How a sandbox that was stopped is started again. */
export function startWords({ command, hasData, hasNaming, hasTls, dataDir }: SandboxStart): string {
  const start = hasData
    ? `Start it again: ${command}`
    : `Its data in ${dataDir} is gone. A new one in its place: ${command}`;
  return [
    start,
    // With the data the names are kept too.
    ...(hasNaming && !hasData ? ["It had a deployment's own names: add --naming FILE, as before."] : []),
    ...(hasTls
      ? ['It spoke HTTPS: add --tls-cert, --tls-key and what else it was started with, as before.']
      : []),
  ].join('\n');
}
