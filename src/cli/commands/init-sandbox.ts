/** The sandbox that `svc init` starts for somebody who has none: in the background, with a demo company and its profiles. */
import type { Profile } from '../../profiles/profile.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { isOfSandbox, USUAL_SANDBOX_PORT } from '../session/sandbox-start.ts';
import type { Session } from '../session/session.ts';

/**
 * The profile of the sandbox's company. A sandbox that runs in the usual folder and has a profile is taken as it is.
 * @param naming the file of `--naming`
 * @throws CliError where none can be started; UsageError where a profile of that name is something else
 */
export async function sandboxProfile(session: Session, naming: string | undefined): Promise<Profile> {
  const [{ defaultFolder }, { profilesToWrite }] = await Promise.all([
    import('./sandbox/folder.ts'),
    import('./sandbox/profiles.ts'),
  ]);
  const folder = await defaultFolder(session);
  session.beforeChange(`start a sandbox on ${folder}`);
  const names = await profilesToWrite(session);
  if (names === undefined)
    throw new UsageError("none can't be the name of the profile that is made", {
      hint: 'leave --profile out, or name another one',
    });
  const store = await session.store();
  const { profiles } = await store.list();
  const known = profiles
    .filter(isOfSandbox)
    .find(({ kind, sandbox }) => kind === 'company' && sandbox.dataDir === folder);
  const port = known === undefined ? String(USUAL_SANDBOX_PORT) : new URL(known.baseUrl).port;
  const flags = [...['--profile', names.company], ...(naming === undefined ? [] : ['--naming', naming])];
  try {
    const baseUrl = await start(session, folder, { flags, port });
    await session.warn(`A sandbox with a demo company is ready at ${baseUrl}`);
    await session.warn('svc sandbox stop ends it; its data stays.');
  } catch (error) {
    if (!isConflict(error) || known === undefined) throw error;
    await session.warn(`A sandbox is running already; profile ${known.name} is its own.`);
    return known;
  }
  const profile = await store.get(names.company);
  if (profile !== undefined) return profile;
  throw new CliError('sandbox', `the sandbox has written no profile ${names.company}`, { exit: EXIT.failed });
}

/** Its address. */
async function start(
  session: Session,
  folder: string,
  { flags, port }: { readonly flags: readonly string[]; readonly port: string },
): Promise<string> {
  const { startInBackground } = await import('./sandbox/start.ts');
  const at = (where: string) => startInBackground(session, folder, [...flags, '--port', where]);
  try {
    return (await at(port)).baseUrl;
  } catch (error) {
    // Something else has the usual port, most likely a sandbox in another folder.
    if (!isConflict(error) || !error.message.startsWith('port ')) throw error;
    return (await at('0')).baseUrl;
  }
}

const isConflict = (error: unknown): error is CliError =>
  error instanceof CliError && error.kind === 'conflict';
