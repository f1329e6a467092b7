import type { Resolved } from '../profiles/credentials.ts';
import type { Actor } from './entry.ts';

export function actorOf({ credentials, origin, profile }: Resolved, command: string): Actor {
  return {
    profile: profile?.name ?? null,
    origin,
    company: credentials.companyId ?? null,
    user: credentials.userId ?? null,
    command,
  };
}

/** Reports whether two writes have the same profile, origin, company and user. Ignores their commands. */
export const isSameActor = (a: Omit<Actor, 'command'>, b: Omit<Actor, 'command'>): boolean =>
  a.profile === b.profile && a.origin === b.origin && a.company === b.company && a.user === b.user;
