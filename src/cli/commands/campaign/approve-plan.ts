/** Shows a plan as it stands today, asks, and signs it. */

import { lstatSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { callWithSingleSigningKey } from '../../../features/campaign/approval/identities.ts';
import {
  describeSigningKey,
  isSignatureFile,
  readSignature,
  type Signature,
  type SigningKey,
  signPlanDigest,
} from '../../../features/campaign/approval/signatures.ts';
import { CampaignError } from '../../../features/campaign/errors.ts';
import { readAllRecordsForCampaign } from '../../../features/campaign/observe.ts';
import { findDifferencesFromPlan } from '../../../features/campaign/plan/continuation.ts';
import { planCampaign } from '../../../features/campaign/plan/plan.ts';
import { itemsOfPlan } from '../../../features/campaign/plan/series.ts';
import { checkPlanNotExpired, type Plan } from '../../../features/campaign/plan-file/plan-file.ts';
import { createAtomicFile, fillFile } from '../../../kit/files/atomic-file.ts';
import { FileError, systemErrorReason } from '../../../kit/files/errors.ts';
import { formatCountWithNoun } from '../../../kit/text/words.ts';
import { namingWithOverrides } from '../../../service/protocol/naming.ts';
import type { Outcome } from '../../command/command.ts';
import { CliError, type FileFinding, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { explainError } from '../../errors/explain-error.ts';
import { canAskUser, confirm } from '../../request/guards.ts';
import type { Invocation, Ports, Profiles, ServiceAccess, Tell } from '../../session/ports.ts';
import { countCompanies, formatBundlePageText } from './bundle-page.ts';
import {
  COMPANIES_AT_ONCE,
  combineCompanyExits,
  companiesOfBundle,
  requireCompaniesInRoster,
  runForCompanies,
} from './companies.ts';
import { formatSends } from './item-words.ts';
import { collectLintErrorSections, findLintErrorsOfSteps, lintErrorsOf } from './lint.ts';
import {
  collectCompanyAndMessagesForPlan,
  EMPTY_SERVICE_FACTS_FOR_PLAN,
  formatPlanPageText,
  type ServiceFactsForPlan,
} from './plan-page.ts';
import { quoteOnOneLine } from './quoting.ts';
import {
  isBundleFile,
  readVerifiedBundle,
  readVerifiedPlan,
  requirePlanForThisService,
} from './trusted-plan.ts';

interface Approval {
  /** Name of the plan file, as typed. */
  readonly plan: string;
  /** Undefined for the only key of the user. */
  readonly identity: string | undefined;
  readonly name: string | undefined;
  readonly isOffline: boolean;
  readonly allowsLintErrors: boolean;
}

export async function approvePlan(session: Ports, input: Approval): Promise<Outcome> {
  const { env, signal, cwd, homeDir } = session.context;
  const key = input.identity;
  if (key !== undefined) return approveWith(session, input, { path: resolve(cwd, key), name: key });
  return callWithSingleSigningKey({ env, signal, cwd, homeDir }, (identity) =>
    approveWith(session, input, identity),
  );
}

async function approveWith(session: Ports, input: Approval, identity: SigningKey): Promise<Outcome> {
  const { env, signal, clock } = session.context;
  const { plan: planName, isOffline, allowsLintErrors } = input;
  const given = nameIn(input);
  const signed = (await isBundleFile(session, planName))
    ? await openBundle(session, planName)
    : await openPlan(session, planName);
  const { path, sha256 } = signed;
  const { comment, fingerprint } = await describeSigningKey(identity, { env, signal });
  const name = given ?? safeName(comment ?? env.USER ?? env.LOGNAME ?? env.USERNAME ?? '');
  const file = join(dirname(path), `${basename(path)}.${name}.sig`);
  const facts = isOffline ? undefined : await signed.compare();
  // `svc apply` always uses the time of the service to judge whether the plan has expired.
  const now = isOffline ? Math.floor(clock.now() / 1000) : await signed.serviceNow();
  for (const plan of signed.plans) checkPlanNotExpired(plan, now);
  // The signer must have seen the page, even with --quiet.
  await session.warn(`${await signed.page(now, facts)}\n`.split('\n'));
  const value = {
    file: join(dirname(planName), basename(file)),
    campaign: signed.campaign,
    sha256,
    fingerprint,
    offline: isOffline,
  };
  const outcome: Outcome = { result: { kind: 'object', value, columns: [] } };
  const earlier = await existingSignatureAt(file, sha256, session, now);
  // An approval that was also checked against the service is stronger than an offline one.
  if (earlier?.fingerprint === fingerprint && (isOffline || !earlier.offline)) {
    await session.info(`this key has already approved the plan; the signature is in ${value.file}`);
    return outcome;
  }
  refuseOthers(earlier, fingerprint);
  await confirmSends(session, signed, allowsLintErrors);
  session.beforeChange(`write ${value.file}`);
  const onTerminal = canAskUser(session);
  // ssh-keygen may ask for a passphrase on the terminal.
  const signature = await session.withoutWaitLines(() =>
    signPlanDigest(sha256, identity, { env, signal, onTerminal, isOffline }),
  );
  writeSignature(file, signature.text);
  await session.info(
    `approved the plan (SSH key: ${identity.name}${isOffline ? '; not compared with the service' : ''}); the signature is in ${value.file}`,
  );
  return outcome;
}

/** A plan, or a bundle, whose signature covers the digests of all its plans. */
interface ToSign {
  readonly path: string;
  readonly campaign: string;
  readonly sha256: string;
  readonly plans: readonly Plan[];
  readonly question: string;
  readonly sends: readonly string[];
  readonly serviceNow: () => Promise<number>;
  /** @throws CampaignError `drift` if a plan no longer fits the service */
  readonly compare: () => Promise<readonly ServiceFactsForPlan[]>;
  /** @param facts undefined with `--offline` */
  readonly page: (now: number, facts: readonly ServiceFactsForPlan[] | undefined) => Promise<string>;
}

async function openPlan(session: Ports, name: string): Promise<ToSign> {
  const { plan, path } = await readVerifiedPlan(session, name);
  const { stderr } = session.context;
  return {
    ...{
      path,
      campaign: plan.campaign,
      sha256: plan.sha256,
      plans: [plan],
      question: 'sign this plan',
      sends: formatSends(plan),
    },
    serviceNow: session.serviceNow,
    compare: async () => [await compareWithService(session, plan)],
    page: async (now, facts) =>
      formatPlanPageText(
        {
          ...{ plan, now, facts: facts?.[0] ?? EMPTY_SERVICE_FACTS_FOR_PLAN, isOffline: facts === undefined },
          extraSections: await collectLintErrorSections(plan),
        },
        stderr.isTTY ? stderr.columns : undefined,
      ),
  };
}

async function openBundle(session: Ports, name: string): Promise<ToSign> {
  const { bundle, plans, path } = await readVerifiedBundle(session, name);
  const { stderr } = session.context;
  const companies = companiesOfBundle(plans);
  const [first] = companies;
  const sends = bundle.companies.reduce((all, { numbers }) => all + numbers.sends, 0);
  return {
    ...{ path, campaign: bundle.campaign, sha256: bundle.sha256, plans },
    question: `sign these ${plans.length} plans`,
    sends: [countCompanies(plans.length), formatCountWithNoun(sends, 'task')],
    serviceNow: first === undefined ? session.serviceNow : session.actingFor(first.id).serviceNow,
    compare: async () => {
      await requireCompaniesInRoster(
        session,
        companies.map(({ id }) => id),
      );
      const { done, exits } = await runForCompanies(
        session,
        COMPANIES_AT_ONCE,
        companies,
        (acting, { plan }) => compareWithService(acting, plan),
      );
      if (exits.length > 0)
        throw new CliError(
          'failed',
          `cannot approve the bundle, because of ${countCompanies(exits.length)}; nothing was signed`,
          {
            exit: combineCompanyExits(exits),
            hint: 'Make a new bundle with svc plan --companies.',
          },
        );
      return done.map(({ value }) => value);
    },
    page: async (now, facts) =>
      formatBundlePageText(
        {
          ...{ bundle, now, isOffline: facts === undefined },
          plans: plans.map((plan, at) => ({ plan, facts: facts?.[at] ?? EMPTY_SERVICE_FACTS_FOR_PLAN })),
        },
        stderr.isTTY ? stderr.columns : undefined,
      ),
  };
}

/**
 * Plans the campaign file again with the current state of the service, and returns facts for the plan's page.
 * @throws CampaignError `drift` if steps, sizes or observed records differ; the client's error if the service is unreachable
 */
async function compareWithService(
  session: Tell & ServiceAccess & Profiles,
  plan: Plan,
): Promise<ServiceFactsForPlan> {
  try {
    await requirePlanForThisService(session, plan);
    const { wanted, options } = plan.inputs;
    const observed = await readAllRecordsForCampaign(await session.client(), wanted, options.adopt);
    const differences = findDifferencesFromPlan(
      plan,
      planCampaign(wanted, observed, { ...options, madeAt: plan.made }),
    );
    const facts = collectCompanyAndMessagesForPlan(plan, observed);
    const all =
      facts.company === plan.company.name
        ? differences
        : [
            `Company ${plan.company.id} is now called ${quoteOnOneLine(facts.company)}, but the plan says ${quoteOnOneLine(plan.company.name)}`,
            ...differences,
          ];
    if (all.length > 0) throw drift(all);
    return facts;
  } catch (error) {
    const { exit } = explainError(error);
    if (exit === EXIT.unreachable || exit === EXIT.denied)
      await session.info(
        'To approve without the service, add --offline. svc apply accepts such an approval only with --allow-offline.',
      );
    throw error;
  }
}

const drift = (differences: readonly string[]): CampaignError =>
  new CampaignError(
    'drift',
    `cannot approve the plan, because the service has changed: ${differences[0]}; nothing was signed`,
    { details: differences.map((reason) => ({ reason })), hint: 'Make a new plan with svc plan.' },
  );

/** Pattern of a name that is valid in file names on every system, and is never a path. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9@._+-]{0,63}$/;

function nameIn({ name }: Approval): string | undefined {
  if (name === undefined || NAME.test(name)) return name;
  throw new UsageError(`--name ${JSON.stringify(name)} cannot be used in a file name`, {
    hint: 'use 1 to 64 letters, digits and @ . _ + -, starting with a letter or a digit',
  });
}

/** Converts `Ada (work)` to `Ada-work`. */
function safeName(text: string): string {
  const name = text
    .replaceAll(/[^A-Za-z0-9@._+-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)
    .replace(/[-.]+$/, '');
  return NAME.test(name) ? name : 'approval';
}

/** @throws InvalidInputError for messages with lint errors, which the signer must allow */
async function confirmSends(
  session: Invocation,
  { plans, question, sends }: ToSign,
  allowsLintErrors: boolean,
): Promise<void> {
  const found: FileFinding[] = [];
  for (const plan of plans)
    found.push(
      ...(await findLintErrorsOfSteps(
        { items: itemsOfPlan(plan) },
        plan.steps,
        { account: {} },
        plan.inputs.file,
        namingWithOverrides(plan.naming),
      )),
    );
  const errors = [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
  if (errors.length > 0 && !allowsLintErrors) throw lintErrorsOf(errors);
  const told = errors.length === 0 ? [] : [formatCountWithNoun(errors.length, 'lint error')];
  await confirm(session, `${question} (${[...sends, ...told].join('; ')})`);
}

type Earlier = (Pick<Signature, 'fingerprint' | 'offline'> & { readonly isSignature: boolean }) | undefined;

/** Undefined if there is no file at the signature's path, where anything may be. */
async function existingSignatureAt(
  file: string,
  sha256: string,
  session: Invocation,
  now: number,
): Promise<Earlier> {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isFile())
    throw new UsageError(`${basename(file)} exists and is not a file`, {
      hint: 'choose another name with --name',
    });
  const { env, signal } = session.context;
  const read = await readSignature(file, sha256, { env, signal, now });
  return { ...read, isSignature: isSignatureFile(file) };
}

function refuseOthers(earlier: Earlier, fingerprint: string): void {
  if (earlier === undefined || earlier.fingerprint === fingerprint) return;
  const hint = 'choose another name with --name';
  if (earlier.fingerprint !== null)
    throw new UsageError(
      `another key (${earlier.fingerprint}) has already approved this plan under the same approver name`,
      { hint },
    );
  // A signature over an earlier plan with the same name is no longer useful.
  if (!earlier.isSignature) throw new UsageError('the existing file is not a signature', { hint });
}

function writeSignature(path: string, text: string): void {
  try {
    fillFile(createAtomicFile(path), (file) => file.write(text));
  } catch (error) {
    const cause = error instanceof FileError ? (error.cause ?? error) : error;
    throw new CliError('system', `can't write ${path}: ${systemErrorReason(cause)}`, {
      exit: EXIT.failed,
      cause,
    });
  }
}
