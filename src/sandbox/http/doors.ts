/** The names, port and scheme by which a sandbox is reached. */

export interface Doors {
  /** Scheme of the sandbox's URL. It is also `https` if a proxy in front of the sandbox terminates TLS. */
  readonly scheme: 'http' | 'https';
  /** The port that the sandbox listens on. */
  readonly port: number;
  /** Public host names, in addition to the loopback ones: lower case, IPv6 in brackets. */
  readonly names: ReadonlySet<string>;
}

const USUAL_PORTS = { http: 80, https: 443 } as const;

/**
 * Reports whether a `Host` names this sandbox. A page whose own name resolves to this machine sends its own name, whatever the port. An
 * allowed name may therefore come with any port, which a container or a proxy may have changed.
 */
export function isOurHost(host: string | undefined, { scheme, port, names }: Doors): boolean {
  const [, loopback, given] = LOOPBACK.exec(host ?? '') ?? [];
  if (loopback !== undefined && Number(given ?? USUAL_PORTS[scheme]) === port) return true;
  if (names.size === 0) return false;
  const [, name] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?$/i.exec(host ?? '') ?? [];
  return name !== undefined && names.has(name.toLowerCase());
}

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(?::([0-9]{1,5}))?$/i;

/** Reports whether an `Origin` is that of a page of this sandbox. */
export const isOurOrigin = (origin: string, doors: Doors): boolean =>
  origin.startsWith(`${doors.scheme}://`) && isOurHost(origin.slice(doors.scheme.length + 3), doors);
