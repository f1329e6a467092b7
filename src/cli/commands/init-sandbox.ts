/** Starts a sandbox for `svc init`. The sandbox runs in the background, with a demo company and its profiles. */
import type { Profile } from '../../profiles/profile.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { isSandboxProfile } from '../session/sandbox-start.ts';
import type { Session } from '../session/session.ts';

/**
 * Starts a sandbox and returns the profile of its company. Reuses a running sandbox in the default folder if a profile contains its
 * address.
 * @param naming the path that `--naming` gives
 * @throws CliError if the sandbox can't be started; UsageError if a profile of another service already has the name of the sandbox's
 * profile
 */
export async function startSandboxForProfile(session: Session, naming: string | undefined): Promise<Profile> {
  const [{ defaultSandboxFolder }, { chooseSandboxProfileNames }, { startInBackground }] = await Promise.all([
    import('./sandbox/folder.ts'),
    import('./sandbox/profiles.ts'),
    import('./sandbox/start.ts'),
  ]);
  const folder = await defaultSandboxFolder(session);
  session.beforeChange(`start a sandbox in ${folder}`);
  const names = await chooseSandboxProfileNames(session);
  if (names === undefined)
    throw new UsageError('cannot create a profile with the name none', {
      hint: 'leave out --profile, or choose another name',
    });
  const store = await session.store();
  const { profiles } = await store.list();
  const known = profiles
    .filter(isSandboxProfile)
    .find(({ kind, sandbox }) => kind === 'company' && sandbox.dataDir === folder);
  const flags = [...['--profile', names.company], ...(naming === undefined ? [] : ['--naming', naming])];
  try {
    const { baseUrl } = await startInBackground(session, folder, flags);
    await session.warn(`A sandbox with a demo company is ready at ${baseUrl}`);
    await session.warn('svc sandbox stop stops the sandbox and keeps its data.');
  } catch (error) {
    if (!isConflict(error) || known === undefined) throw error;
    await session.warn(`The sandbox of profile ${known.name} is running, so svc uses that sandbox.`);
    return known;
  }
  const profile = await store.get(names.company);
  if (profile !== undefined) return profile;
  throw new CliError('sandbox', `the sandbox started, but did not create the profile ${names.company}`, {
    exit: EXIT.failed,
  });
}

const isConflict = (error: unknown): error is CliError =>
  error instanceof CliError && error.kind === 'conflict';
