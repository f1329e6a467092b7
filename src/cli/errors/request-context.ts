/** Service and account of a run, with the source of each setting: the first things to check after a failure. */
import { hostAndPort } from '../../client/failures.ts';
import type { Resolved } from '../../profiles/credentials.ts';

export interface RequestContext extends Pick<Resolved, 'baseUrl' | 'credentials' | 'naming' | 'sources'> {
  /** Name of the profile in use. */
  readonly profile: string | undefined;
  /** This machine's time, in milliseconds. */
  readonly now: number;
  /** Sandbox that has this address while it runs. */
  readonly sandbox?: SandboxStart | undefined;
}

export interface SandboxStart {
  /** Name of the profile that stores the sandbox's address. */
  readonly profile: string;
  /** Command that restarts the sandbox, quoted for a shell. */
  readonly command: string;
  /** True if the sandbox's data still exists. */
  readonly hasData: boolean;
  readonly dataDir: string;
  /** True if the sandbox uses a deployment's own names. A start without its data needs these names again. */
  readonly hasNaming: boolean;
  /** True if the sandbox used HTTPS. A start needs the certificate options again. */
  readonly hasTls: boolean;
}

/** Returns `svc called api.example.com:443 (profile prod).` It shows only the host: the rest of an address may hold a secret. */
export function addressSentence({ baseUrl, sources, profile }: RequestContext): string {
  const own = `profile ${profile}`;
  const beside = profile === undefined || sources.baseUrl === own ? '' : `, with ${own}`;
  return `svc called ${hostAndPort(baseUrl)} (${sources.baseUrl})${beside}.`;
}

/**
 * Returns the sentence of `addressSentence` with the signer added: `… as company 42 and user 7 (profile prod), with the key from
 * environment SVC_API_KEY.`
 */
export function signerSentence(asked: RequestContext): string {
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
  return `svc called ${hostAndPort(baseUrl)} (${sources.baseUrl}) as ${who}, with the key from ${sources.key}${beside}.`;
}

/** Returns the text that says how to start a stopped sandbox again. */
export function restartSentence({ command, hasData, hasNaming, hasTls, dataDir }: SandboxStart): string {
  const start = hasData
    ? `Start it again: ${command}`
    : `Its data in ${dataDir} no longer exists. To start a new one: ${command}`;
  return [
    start,
    // The names are stored with the data.
    ...(hasNaming && !hasData ? ['The earlier sandbox used --naming: add --naming FILE again.'] : []),
    ...(hasTls
      ? ['The earlier sandbox used HTTPS: add --tls-cert, --tls-key and the other flags again.']
      : []),
  ].join('\n');
}
