/** Describes the service and the account of a failed request, and where each setting came from, for hints. */

import type { ResolvedCredentials } from '../../client/profiles/credentials.ts';
import { hostAndPort } from '../../service/protocol/wire.ts';

export interface FailedRequestContext
  extends Pick<ResolvedCredentials, 'baseUrl' | 'credentials' | 'naming' | 'sources'> {
  readonly profile: string | undefined;
  /** Milliseconds of this machine, with which the service's time is compared. */
  readonly now: number;
  /** Flags that chose the account, each with a space before it, for commands that the user can paste. */
  readonly accountFlags?: string;
  /** Set if a profile stores the address of a sandbox. */
  readonly sandbox?: SandboxRestartInfo | undefined;
}

export interface SandboxRestartInfo {
  readonly profile: string;
  /** Quoted for a shell. */
  readonly command: string;
  readonly hasData: boolean;
  readonly dataDir: string;
  /** The next start needs `--naming` again if the sandbox's data is gone. */
  readonly hasNaming: boolean;
  /** The next start needs `--tls-cert` and `--tls-key` again. */
  readonly hasTls: boolean;
}

/** Contains only the host, because the rest of an address may contain a secret. */
export function describeCalledAddress({ baseUrl, sources, profile }: FailedRequestContext): string {
  const own = `profile ${profile}`;
  const beside = profile === undefined || sources.baseUrl === own ? '' : `, with ${own}`;
  return `svc called ${hostAndPort(baseUrl)} (${sources.baseUrl})${beside}.`;
}

/** Returns `svc called … as company 42 and user 7 (profile prod), with the key from environment SVC_API_KEY.` */
export function describeCalledAddressAndAccount(context: FailedRequestContext): string {
  const { baseUrl, credentials, sources, profile } = context;
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

export function describeSandboxRestart({
  command,
  hasData,
  hasNaming,
  hasTls,
  dataDir,
}: SandboxRestartInfo): string {
  const start = hasData
    ? `To start the sandbox again: ${command}`
    : `The sandbox's data in ${dataDir} no longer exists. To start a new sandbox: ${command}`;
  return [
    start,
    // The header and attribute names are stored with the data.
    ...(hasNaming && !hasData ? ['The earlier sandbox used --naming: add --naming FILE again.'] : []),
    ...(hasTls
      ? ['The earlier sandbox used HTTPS: add --tls-cert, --tls-key and the other flags again.']
      : []),
  ].join('\n');
}
