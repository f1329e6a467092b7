import type { Resolved } from '../../profiles/credentials.ts';
import type { Asker } from './entry.ts';

export function askerOf({ credentials, origin, profile }: Resolved, command: string): Asker {
  return {
    profile: profile?.name ?? null,
    origin,
    company: credentials.companyId ?? null,
    user: credentials.userId ?? null,
    command,
  };
}

/** Whether two writes were asked for by the same one, whatever the command. */
export const isSameAsker = (a: Omit<Asker, 'command'>, b: Omit<Asker, 'command'>): boolean =>
  a.profile === b.profile && a.origin === b.origin && a.company === b.company && a.user === b.user;
