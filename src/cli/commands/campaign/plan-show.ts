/** Defines `svc plan show PLAN`, which shows a plan and its approvals. */

import { resolve } from 'node:path';
import type { Approver, Signature } from '../../../features/campaign/approval/signatures.ts';
import type { SignersFile } from '../../../features/campaign/approval/signers.ts';
import { formatMarkdownPage } from '../../../kit/report/markdown-page.ts';
import type { ReportSection } from '../../../kit/report/report.ts';
import { formatTextPageLines } from '../../../kit/report/text-page.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import { choiceFlag, type Flag, textFlag } from '../../command/flag.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { explainError } from '../../errors/explain-error.ts';
import { isColourWanted, loadColourPainter } from '../../output/colour.ts';
import { isResultPrintedForPeople } from '../../request/write-outcome.ts';
import type { Clocks, Invocation, Ports, Tell } from '../../session/ports.ts';
import { quoteUnlessSingleWord, replaceLineBreaks } from './quoting.ts';

export const signersFlag: Flag<string | undefined> = {
  ...textFlag('signers', {
    describe: "File that lists who may approve, in git's allowed_signers format",
    value: 'file',
  }),
  completes: 'file',
};

export function readSignersFlag(session: Invocation, input: Input): SignersFile | undefined {
  const name = input.get(signersFlag);
  return name === undefined ? undefined : { path: resolve(session.context.cwd, name), name };
}

const formatFlag = choiceFlag('format', ['markdown'], {
  describe: 'Print the page in Markdown, for a pull request; for JSON, use -o json',
});

export const planShow: Verb = {
  name: 'show',
  summary: 'Show a plan and its approvals',
  about:
    'Checks the signatures against the signers file of the profile, or of --signers. Without a signers file, svc cannot tell whose keys signed',
  work: 'local',
  section: 'States and transitions',
  example: 'plan show spring.plan --signers team.signers',
  positionals: [{ name: 'plan', describe: 'Plan or bundle from svc plan --out', completes: 'file' }],
  flags: [signersFlag, formatFlag],
  needsNoCompany: true,
  run: showPlan,
};

async function showPlan(session: Ports, input: Input): Promise<Outcome> {
  const [name = ''] = input.positionals;
  const path = resolve(session.context.cwd, name);
  const [
    { readSavedPlans },
    { invalidateIfSignedOffline, resolveSignersFile },
    { groupSignaturesByPerson, readSignatures },
  ] = await Promise.all([
    import('./saved-plans.ts'),
    import('../../../features/campaign/approval/approvals.ts'),
    import('../../../features/campaign/approval/signatures.ts'),
  ]);
  const { plans, bundle, sha256 } = readSavedPlans(session, path, name);
  const profile = await session.profileInUse();
  const signers = resolveSignersFile(profile, readSignersFlag(session, input));
  const { env, signal } = session.context;
  const now = await planNow(session);
  const read = await readSignatures(path, sha256, signers, { env, signal, now });
  const signatures = read.map(invalidateIfSignedOffline);
  const people = groupSignaturesByPerson(signatures);
  const demanded = profile?.requireApprovals ?? 0;
  const isMarkdown = input.get(formatFlag) === 'markdown';
  if (!isMarkdown && !(await isResultPrintedForPeople(session))) {
    const [{ inputs: _, observed: __, ...plan }] = plans;
    const expired = plans.some(({ validUntil }) => now >= validUntil);
    const value = { ...(bundle ?? plan), expired, approvals: { demanded, people, signatures } };
    return { result: { kind: 'object', value, columns: [] } };
  }
  const { buildSavedPage } = await import('./saved-plans.ts');
  const { stdout } = session.context;
  const page = await buildSavedPage(
    session,
    { plans, bundle, now },
    approvalsIn(people, signatures, demanded),
  );
  if (isMarkdown) return { result: { kind: 'text', text: formatMarkdownPage(page) } };
  const paint = await loadColourPainter(isColourWanted(env, stdout, !session.globals.color));
  const lines = formatTextPageLines(
    page,
    stdout.isTTY ? Math.max(20, stdout.columns ?? 80) : Number.POSITIVE_INFINITY,
  );
  const text = lines.map((line) => (line.isHeading ? paint.heading(line.text) : line.text));
  return { result: { kind: 'text', text: `${text.join('\n')}\n` } };
}

function approvalsIn(
  people: readonly Approver[],
  signatures: readonly Signature[],
  demanded: number,
): ReportSection {
  const approved = people.map(
    ({ names, fingerprints, files }) =>
      `${names.map(quoteUnlessSingleWord).join(', ')}  ${fingerprints.join(', ')} (${files.map(quoteUnlessSingleWord).join(', ')})`,
  );
  const others = signatures
    .filter(({ state }) => state !== 'valid')
    .map(({ file, fingerprint, reason }) => {
      const by = fingerprint === null ? '' : `, by ${fingerprint}`;
      // Messages of ssh-keygen contain names that svc did not choose.
      return `${quoteUnlessSingleWord(file)}  does not count${by}: ${replaceLineBreaks(reason ?? '')}`;
    });
  const title = demanded > 0 ? `Approvals: ${people.length} of ${demanded}` : `Approvals: ${people.length}`;
  const lines = [...approved, ...others];
  const none = { kind: 'paragraph', text: 'No approvals yet. Run svc approve PLAN.' } as const;
  return { title, blocks: lines.length === 0 ? [none] : [{ kind: 'unbroken', lines }] };
}

/**
 * Judges whether the plan has expired (contract, "Campaigns as files"). If the service is unreachable, warns and returns this machine's
 * time in Unix seconds. `svc apply` always requires the service's time.
 */
async function planNow(session: Invocation & Tell & Clocks): Promise<number> {
  try {
    return await session.serviceNow();
  } catch (error) {
    const { exit, kind, message } = explainError(error);
    if (exit === EXIT.interrupted || kind === 'bug') throw error;
    await session.warn(`cannot get the service's clock (${message}); using this machine's`);
    return Math.floor(session.context.clock.now() / 1000);
  }
}
