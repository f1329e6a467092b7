import { basename } from 'node:path';
import type { ProfileInUse } from '../../../client/profiles/profile.ts';
import { quoteShellWord } from '../../../kit/text/words.ts';
import { CampaignError } from '../errors.ts';
import { type BundleWithPlans, makeBundle } from '../plan-file/bundle.ts';
import { checkPlanNotExpired, makePlan, type Plan } from '../plan-file/plan-file.ts';
import {
  type Approver,
  groupSignaturesByPerson,
  readSignatures,
  type Signature,
  type SignatureCheckDependencies,
} from './signatures.ts';
import { foldSignerName, listSignerNames, namesOfPeople, readSigners, type SignersFile } from './signers.ts';

export interface RequiredApprovals {
  readonly count: number;
  readonly signers: SignersFile | undefined;
  /** True if an approval made with `--offline` counts. */
  readonly allowOffline?: boolean;
  readonly notBy?: readonly string[];
}

type ApprovalSettings = Pick<ProfileInUse, 'name' | 'requireApprovals' | 'signers' | 'signersContent'>;

/**
 * Flags may raise the profile's requirements, but never lower them, and they never replace its signers.
 * @throws CampaignError `input`, `refused`
 */
export function requiredApprovals(
  profile: ApprovalSettings | undefined,
  flags: {
    readonly approvals?: number | undefined;
    readonly signers?: SignersFile | undefined;
    readonly allowOffline?: boolean;
    readonly notBy?: readonly string[];
  },
): RequiredApprovals {
  const count = Math.max(profile?.requireApprovals ?? 0, flags.approvals ?? 0);
  const signers = resolveSignersFile(profile, flags.signers);
  if (count > 0 && signers === undefined)
    throw new CampaignError('input', '--approvals needs --signers FILE, the list of people who may approve');
  if (count === 0 && flags.signers !== undefined)
    throw new CampaignError('input', '--signers needs --approvals N, the number of approvals');
  const { notBy = [] } = flags;
  if (count === 0 && notBy.length > 0)
    throw new CampaignError('input', '--not-by needs --approvals N, the number of approvals');
  if (notBy.some((name) => name.trim() === ''))
    throw new CampaignError('input', '--not-by is empty', {
      hint: 'give the name of a person as the signers file has it, such as alice@example.com',
    });
  return {
    ...{ count, signers },
    ...(flags.allowOffline === true ? { allowOffline: true } : {}),
    ...(notBy.length > 0 ? { notBy } : {}),
  };
}

/** Names that the signers file does not have may be misspelt. */
export function unlistedPeople({ signers, notBy = [] }: RequiredApprovals): readonly string[] {
  if (signers === undefined || notBy.length === 0) return [];
  const listed = listSignerNames(readSigners(signers));
  return notBy.filter((name) => !listed.has(foldSignerName(name)));
}

/** @throws CampaignError `refused` if both name different files, or if the profile requires approvals and names no file */
export function resolveSignersFile(
  profile: ApprovalSettings | undefined,
  signersOfFlag: SignersFile | undefined,
): SignersFile | undefined {
  const {
    name,
    requireApprovals = 0,
    signers: own,
    signersContent: content,
  }: ApprovalSettings = profile ?? { name: '' };
  if (requireApprovals > 0 && own === undefined)
    throw new CampaignError('refused', `profile ${name} requires approvals, but has no signers file`, {
      hint: 'ask the owner of the profile to set signers, the file that lists who may approve',
    });
  if (own !== undefined && signersOfFlag !== undefined && signersOfFlag.path !== own)
    throw new CampaignError('refused', `profile ${name} requires its own signers file, ${own}`, {
      hint: 'leave out --signers: it cannot replace the signers file of the profile',
    });
  if (own === undefined) return signersOfFlag;
  // An assistant need not know where the file is.
  return content === undefined ? { path: own, name: own } : { path: own, name: basename(own), content };
}

/** Result of the check whether a plan has the approvals that it needs. Only `checkApprovals` creates one. */
export interface Approvals {
  readonly sha256: string;
  readonly required: RequiredApprovals;
  readonly people: readonly Approver[];
}

const CHECKED = new WeakSet<Approvals>();

/** @param approvals the result of `checkApprovals`; an object from any other function never counts */
export function areApprovalsSufficient(
  approvals: Approvals,
  { requireApprovals = 0, signers, signersContent }: Omit<ApprovalSettings, 'name'>,
): boolean {
  if (requireApprovals === 0) return true;
  const { required, people } = approvals;
  const isBySigners =
    signers !== undefined &&
    required.signers?.path === signers &&
    required.signers.content === signersContent;
  return CHECKED.has(approvals) && isBySigners && people.length >= requireApprovals;
}

/**
 * @param planPath absolute; the signatures are files beside it
 * @param dependencies `now`: Unix seconds of the service's clock
 * @throws CampaignError `refused`, with a detail for each signature that doesn't count
 */
export async function checkApprovals(
  planPath: string,
  plan: Plan,
  required: RequiredApprovals,
  dependencies: SignatureCheckDependencies,
): Promise<Approvals> {
  const { version: _, sha256, ...parts } = plan;
  if (makePlan(parts).sha256 !== sha256)
    throw new CampaignError('refused', 'the plan was changed since it was read');
  return checkSigned(planPath, sha256, [plan], required, dependencies);
}

/** The signature of a bundle approves the plans whose digests it has. Otherwise like `checkApprovals`. */
export async function checkBundleApprovals(
  bundlePath: string,
  { bundle: { sha256 }, plans }: BundleWithPlans,
  required: RequiredApprovals,
  dependencies: SignatureCheckDependencies,
): Promise<Approvals> {
  const remade = plans.map(({ version: _, sha256: __, ...parts }) => makePlan(parts));
  if (makeBundle(remade).sha256 !== sha256)
    throw new CampaignError('refused', 'the bundle was changed since it was read');
  return checkSigned(bundlePath, sha256, plans, required, dependencies);
}

async function checkSigned(
  planPath: string,
  sha256: string,
  plans: readonly Plan[],
  required: RequiredApprovals,
  dependencies: SignatureCheckDependencies,
): Promise<Approvals> {
  for (const plan of plans) checkPlanNotExpired(plan, dependencies.now);
  const { count, signers, allowOffline = false, notBy = [] } = required;
  const all = count === 0 ? [] : await readSignatures(planPath, sha256, signers, dependencies);
  const counted = allowOffline ? all : all.map(invalidateIfSignedOffline);
  const excluded = signers && namesOfPeople(readSigners(signers), notBy);
  const signatures = counted.map((each) => invalidateIfExcluded(each, excluded));
  const people = groupSignaturesByPerson(signatures);
  if (people.length < count) throw tooFew(people, signatures, count, { planPath, sha256 });
  const approvals: Approvals = Object.freeze({ sha256, required: Object.freeze({ ...required }), people });
  CHECKED.add(approvals);
  return approvals;
}

export const invalidateIfSignedOffline = (signature: Signature): Signature =>
  signature.state === 'valid' && signature.offline
    ? {
        ...signature,
        state: 'invalid',
        reason: 'made with --offline; svc apply accepts it only with --allow-offline',
      }
    : signature;

const invalidateIfExcluded = (signature: Signature, excluded: ReadonlySet<string> | undefined): Signature =>
  signature.state === 'valid' && signature.principals.some((name) => excluded?.has(foldSignerName(name)))
    ? { ...signature, state: 'invalid', reason: `${signature.principals.join(', ')} is excluded by --not-by` }
    : signature;

function tooFew(
  people: readonly Approver[],
  signatures: readonly Signature[],
  count: number,
  { planPath, sha256 }: { readonly planPath: string; readonly sha256: string },
): CampaignError {
  const by = people.length === 0 ? '' : `, by ${people.map(({ name }) => name).join(', ')}`;
  const details = signatures
    .filter(({ state }) => state !== 'valid')
    .map(({ file, reason, fingerprint }) => ({
      attribute: file,
      reason: `does not count: ${reason}`,
      fingerprint,
    }));
  return new CampaignError('refused', `the plan has ${people.length} of ${count} approvals${by}`, {
    hints: [
      `svc approve ${quoteShellWord(planPath)} --identity KEYFILE adds an approval by another person`,
      `the SHA-256 of the plan is ${sha256}`,
    ],
    details,
  });
}
