/** Checks that a partner acts for one of its companies. Nearly every request needs the id of that company. */
import type { Resolved } from '../../profiles/credentials.ts';
import { UsageError } from '../errors/errors.ts';

/** Checks the credentials. @throws UsageError when a partner names no company, before the service refuses the request */
export function mustActForCompany({ credentials, profile }: Pick<Resolved, 'credentials' | 'profile'>): void {
  if (credentials.kind !== 'partner' || credentials.companyId !== undefined) return;
  const keep =
    profile === undefined
      ? 'SVC_COMPANY_ID names it for every command'
      : `svc company use ID makes it the company of profile ${profile.name}; svc company list shows the roster`;
  throw new UsageError('a partner has to name the company to act for; nothing was sent', {
    hints: ['give --company ID, or --company with a name of the roster', keep],
  });
}
