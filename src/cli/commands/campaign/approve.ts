/** `svc approve PLAN`: a signature of a person's SSH key over the plan's digest, in a file beside it. */
import { lstatSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Identity, Signature } from '../../../campaign/approval/signatures.ts';
import type { Plan } from '../../../campaign/plan-file/plan-file.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import { type Flag, textFlag } from '../../command/flag.ts';
import { CliError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { canAsk, confirm, mustBeConfirmable } from '../../request/guards.ts';
import type { Session } from '../../session/session.ts';
import { planNow } from './plan-time.ts';

const identityFlag: Flag<string> = {
  ...textFlag('identity', {
    describe: 'SSH key to sign with: a private one, or a public one that ssh-agent has',
    value: 'file',
    required: true,
  }),
  completes: 'file',
};
const nameFlag = textFlag('name', {
  describe: "Names the signature's file; the key's comment or the user's name unless given",
});

export const approve: Verb = {
  name: 'approve',
  summary: 'Approve a plan: sign it with an SSH key',
  about:
    'Writes PLAN.NAME.sig beside the plan, which stays as it is. ssh-keygen signs, and asks for a passphrase by itself. ' +
    'Who a signature is of is what the signers file says of its key',
  example: 'approve spring.plan --identity ~/.ssh/id_ed25519',
  positionals: [{ name: 'plan', describe: 'File that svc plan --out has written', completes: 'file' }],
  flags: [identityFlag, nameFlag],
  needsNoCompany: true,
  run: approvePlan,
};

/** Read, show, ask, sign, write. */
async function approvePlan(session: Session, input: Input): Promise<Outcome> {
  const { cwd, env, signal } = session.context;
  const [planName = ''] = input.positionals;
  const path = resolve(cwd, planName);
  const given = nameIn(input);
  const [{ readPlanFile }, { checkValid }, signing] = await Promise.all([
    import('../../../campaign/plan-file/read-plan-file.ts'),
    import('../../../campaign/plan-file/plan-file.ts'),
    import('../../../campaign/approval/signatures.ts'),
  ]);
  const plan = readPlanFile(path, planName);
  const key = input.get(identityFlag);
  const identity: Identity = { path: resolve(cwd, key), name: key };
  const { comment, fingerprint } = await signing.showKey(identity, { env, signal });
  const name = given ?? safeName(comment ?? userIn(session));
  const file = join(dirname(path), `${basename(path)}.${name}.sig`);
  mustBeConfirmable(session, 'approve a plan');
  const now = await planNow(session);
  checkValid(plan, now);
  await tell(session, plan, now);
  const earlier = await earlierAt(file, plan, session);
  const value = {
    file: join(dirname(planName), basename(file)),
    campaign: plan.campaign,
    sha256: plan.sha256,
    fingerprint,
  };
  const outcome: Outcome = { result: { kind: 'object', value, columns: [] } };
  if (earlier?.fingerprint === fingerprint) {
    await session.info(`this key has approved the plan already, in ${value.file}`);
    return outcome;
  }
  refuseOthers(earlier);
  await confirm(session, questionOf(plan, earlier, basename(file)));
  session.beforeChange(`write ${value.file}`);
  const onTerminal = canAsk(session);
  const signature = await signing.signDigest(plan.sha256, identity, { env, signal, onTerminal });
  await write(file, signature.text);
  await session.info(`approved, in ${value.file}`);
  return outcome;
}

/** Part of a file's name on every system, and never a path. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9@._+-]{0,63}$/;

function nameIn(input: Input): string | undefined {
  const name = input.get(nameFlag);
  if (name === undefined || NAME.test(name)) return name;
  throw new UsageError(`--name ${JSON.stringify(name)} can't be part of a file's name`, {
    hint: '1 to 64 of letters, digits and @ . _ + -, the first one a letter or a digit',
  });
}

/** `Ada (work)` is `Ada-work`. */
function safeName(text: string): string {
  const name = text
    .replaceAll(/[^A-Za-z0-9@._+-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)
    .replace(/[-.]+$/, '');
  return NAME.test(name) ? name : 'approval';
}

function userIn({ context: { env } }: Session): string {
  return env['USER'] ?? env['LOGNAME'] ?? env['USERNAME'] ?? '';
}

async function tell(session: Session, plan: Plan, now: number): Promise<void> {
  const [{ planText }, { errorsIn }] = await Promise.all([import('./plan-page.ts'), import('./lint.ts')]);
  const { stderr } = session.context;
  await session.info(
    `${planText(plan, now, stderr.isTTY ? stderr.columns : undefined, await errorsIn(plan))}\n`,
  );
}

type Earlier = Pick<Signature, 'fingerprint'> | undefined;

/** What is there under that name already: a signature over this plan, anything else, or nothing. @throws UsageError for no file */
async function earlierAt(file: string, { sha256 }: Plan, session: Session): Promise<Earlier> {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isFile())
    throw new UsageError(`${basename(file)} is there, and is no file`, { hint: '--name gives another name' });
  const { readSignature } = await import('../../../campaign/approval/signatures.ts');
  const { env, signal } = session.context;
  return readSignature(file, sha256, { env, signal });
}

function questionOf(plan: Plan, earlier: Earlier, file: string): string {
  const action = `approve this plan of campaign ${plan.campaign} for ${plan.company.name} (company ${plan.company.id})`;
  if (earlier === undefined) return action;
  return `${action}, and replace ${file}, which is no signature over it`;
}

/** What another key has signed of this very plan is an approval that nobody takes away by mistake. */
function refuseOthers(earlier: Earlier): void {
  if (earlier === undefined || earlier.fingerprint === null) return;
  throw new UsageError(`another key (${earlier.fingerprint}) has approved this plan under that name`, {
    hint: '--name gives the signature another name',
  });
}

async function write(file: string, text: string): Promise<void> {
  const { createAtomicFile } = await import('../../../files/atomic-file.ts');
  const opened = createAtomicFile(file);
  try {
    opened.write(text);
    opened.commit();
  } catch (cause) {
    opened.abort();
    throw new CliError('system', `can't write ${file}`, { exit: EXIT.failed, cause });
  }
}
