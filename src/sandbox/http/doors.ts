/** Under which names a sandbox is reached, and how. */

export interface Doors {
  /** Also `https` where TLS ends in front of it. */
  readonly scheme: 'http' | 'https';
  /** That it listens on. */
  readonly port: number;
  /** Hosts that people reach it by, beside the loopback ones: lower case, IPv6 in brackets. */
  readonly names: ReadonlySet<string>;
}

const USUAL_PORTS = { http: 80, https: 443 } as const;

/**
 * Whether a `Host` names this sandbox. A page whose own name resolves to this machine sends its own name, whatever the
 * port: so a name that was allowed may come with any, which a container or a proxy in front may have changed.
 */
export function isOurHost(host: string | undefined, { scheme, port, names }: Doors): boolean {
  const [, loopback, given] = LOOPBACK.exec(host ?? '') ?? [];
  if (loopback !== undefined && Number(given ?? USUAL_PORTS[scheme]) === port) return true;
  if (names.size === 0) return false;
  const [, name] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?$/i.exec(host ?? '') ?? [];
  return name !== undefined && names.has(name.toLowerCase());
}

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(?::([0-9]{1,5}))?$/i;

/** Whether an `Origin` is that of a page of this sandbox. */
export const isOurOrigin = (origin: string, doors: Doors): boolean =>
  origin.startsWith(`${doors.scheme}://`) && isOurHost(origin.slice(doors.scheme.length + 3), doors);
