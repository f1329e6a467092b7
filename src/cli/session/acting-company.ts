/** Checks that a partner acts for one of its companies. Nearly every request needs the id of that company. */
import type { Resolved } from '../../profiles/credentials.ts';
import { UsageError } from '../errors/errors.ts';

/** Checks the credentials. @throws UsageError when a partner names no company, before the service refuses the request */
export function mustActForCompany({ credentials, profile }: Pick<Resolved, 'credentials' | 'profile'>): void {
  if (credentials.kind !== 'partner' || credentials.companyId !== undefined) return;
  const keep =
    profile === undefined
      ? 'set SVC_COMPANY_ID to choose one for all commands'
      : `run svc company use ID to choose one for profile ${profile.name}; svc company list shows the roster`;
  throw new UsageError('a partner must choose a company; nothing was sent', {
    hints: ['add --company with an id, or with a name from the roster', keep],
  });
}
