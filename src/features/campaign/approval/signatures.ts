/**
 * Reads and makes signatures of a plan (contract, "Campaigns as files"). They are SSH signatures in the namespace `svc-plan` over the
 * hexadecimal text of the plan's digest. Each is a file `PLAN.NAME.sig` beside the plan. The signers file says who owns the key that
 * signed; NAME proves nothing.
 */
import { lstatSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { FileError } from '../../../kit/files/errors.ts';
import { readRegularFile } from '../../../kit/files/private-file.ts';
import { CampaignError } from '../errors.ts';
import { foldSignerName, readSigners, type SignersFile, signerNameFault } from './signers.ts';
import {
  findFirstSshKeygenOutputLine,
  refusedReadableKey,
  runSshKeygen,
  type SshKeygenDependencies,
  type SshKeygenRun,
} from './ssh-keygen.ts';

const PLAN_SIGNATURE_NAMESPACE = 'svc-plan';
/** Namespace of a signature with `approve --offline`: the person compared the plan with its files, but not with the service. */
const OFFLINE_PLAN_SIGNATURE_NAMESPACE = 'svc-plan-offline';

const MAX_SIGNATURES = 100;
const MAX_SIGNATURE_OCTETS = 32 * 1024;

export interface Signature {
  readonly file: string;
  /** State of the signature. `valid`: the key that signed this plan is in the current signers file. */
  readonly state: 'valid' | 'unknown' | 'invalid';
  readonly principals: readonly string[];
  /** Null if the file holds no signature over this plan. */
  readonly fingerprint: string | null;
  readonly reason: string | null;
  readonly offline: boolean;
}

export interface SignatureCheckDependencies extends SshKeygenDependencies {
  /** Unix seconds of the service's clock, with which the validity of a signer is compared. */
  readonly now: number;
}

/**
 * @param planPath absolute
 * @param signers in the format of git's `allowed_signers`
 * @throws CampaignError `refused` if ssh-keygen is missing, the signers file can't be read, or there are too many files
 */
export async function readSignatures(
  planPath: string,
  sha256: string,
  signers: SignersFile | undefined,
  dependencies: SignatureCheckDependencies,
): Promise<readonly Signature[]> {
  const allowed = signers && readSigners(signers);
  const files = await signatureFiles(planPath);
  if (files.length === 0) return [];
  return inTemporaryFolder(async (folder) => {
    const known = signers && { ...signers, copy: join(folder, 'signers') };
    // Every signature is checked against the same copy, even if the signers file is written meanwhile.
    if (known && allowed) await writeFile(known.copy, allowed);
    const found: Signature[] = [];
    for (const file of files)
      found.push(await judge(join(dirname(planPath), file), { file, sha256, folder, known }, dependencies));
    if (known && allowed) refuseChangedCopy(known.copy, allowed);
    return found;
  });
}

function refuseChangedCopy(copy: string, allowed: Uint8Array): void {
  try {
    if (readRegularFile(copy, 'the copy', allowed.length).equals(allowed)) return;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
  }
  throw new CampaignError('refused', 'another program changed the signers while svc verified approvals', {
    hint: 'find out which program writes to the folder for temporary files, then try again',
  });
}

async function signatureFiles(planPath: string): Promise<readonly string[]> {
  const start = `${basename(planPath)}.`;
  const files = (await readdir(dirname(planPath)))
    .filter((file) => file.startsWith(start) && file.endsWith('.sig') && file.length > start.length + 4)
    .sort();
  if (files.length > MAX_SIGNATURES)
    throw new CampaignError('refused', `there are more than ${MAX_SIGNATURES} files ${start}*.sig`, {
      hint: 'delete all signature files except those of the people who approve the plan',
    });
  return files;
}

/** @param path absolute */
export async function readSignature(
  path: string,
  sha256: string,
  dependencies: SignatureCheckDependencies,
): Promise<Signature> {
  return inTemporaryFolder((folder) =>
    judge(path, { file: basename(path), sha256, folder, known: undefined }, dependencies),
  );
}

/** @param path absolute path of a regular file */
export function isSignatureFile(path: string): boolean {
  try {
    const text = readRegularFile(path, basename(path), MAX_SIGNATURE_OCTETS).toString('latin1');
    return text.startsWith('-----BEGIN SSH SIGNATURE-----');
  } catch (error) {
    if (error instanceof FileError) return false;
    throw error;
  }
}

interface Judging {
  readonly file: string;
  readonly sha256: string;
  readonly folder: string;
  readonly known: (SignersFile & { readonly copy: string }) | undefined;
}

async function judge(
  path: string,
  { file, sha256, folder, known }: Judging,
  dependencies: SignatureCheckDependencies,
): Promise<Signature> {
  let facts: Omit<Signature, 'state' | 'reason'> = {
    file,
    principals: [],
    fingerprint: null,
    offline: false,
  };
  const is = (state: Signature['state'], reason: string | null): Signature => ({ ...facts, state, reason });
  const copy = join(folder, 'signature');
  try {
    await writeFile(copy, readRegularFile(path, file, MAX_SIGNATURE_OCTETS));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return is('invalid', error.message);
  }
  const hidden = { [copy]: file, ...(known ? { [known.copy]: known.name } : {}) };
  const said = (run: SshKeygenRun): string => findFirstSshKeygenOutputLine(run, hidden);
  const at = `verify-time=${timestampOf(dependencies.now)}`;
  const find = ['-Y', 'find-principals', '-O', at, '-s', copy];
  const found = known && (await runSshKeygen([...find, '-f', known.copy], dependencies));
  const principals = found?.exitCode === 0 ? found.stdout.split(/\r?\n/).filter((line) => line !== '') : [];
  const [only = ''] = principals;
  const verifyAs = (principal: string, namespace: string): Promise<SshKeygenRun> => {
    const signers = ['-f', known?.copy ?? '', '-I', principal, '-n', namespace];
    const args = ['-Y', 'verify', '-O', at, ...signers, '-s', copy];
    return runSshKeygen(args, dependencies, { input: sha256 });
  };
  if (known && principals.length === 1 && signerNameFault(only) === undefined) {
    // Most signatures are valid, and those need no further run.
    const verified = await verifyAs(only, PLAN_SIGNATURE_NAMESPACE);
    const fingerprint = verified.exitCode === 0 ? KEY_AT_END.exec(verified.stdout)?.[1] : undefined;
    if (fingerprint !== undefined) return { ...is('valid', null), fingerprint, principals };
  }
  const online = await checkedSignature(copy, sha256, PLAN_SIGNATURE_NAMESPACE, dependencies);
  const offline = online.fingerprint === undefined;
  const { fingerprint } = offline
    ? await checkedSignature(copy, sha256, OFFLINE_PLAN_SIGNATURE_NAMESPACE, dependencies)
    : online;
  if (fingerprint === undefined)
    return is('invalid', `this is not a signature of this plan: ${said(online.run)}`);
  facts = { ...facts, fingerprint, offline };
  if (!known || !found)
    return is('unknown', 'svc does not know whose key signed the plan: there is no signers file');
  if (principals.length === 0) {
    if (/expired|not yet valid/.test(said(found))) return is('invalid', said(found));
    const more = found.stderr.includes(known.copy) ? ` (${said(found)})` : '';
    return is('unknown', `the signers file ${known.name} does not list this key${more}`);
  }
  const [nameFault] = principals.flatMap((each) => signerNameFault(each) ?? []);
  if (nameFault !== undefined)
    return is('invalid', `the signers file ${known.name} lists this key under ${nameFault}`);
  for (const principal of principals) {
    const run = await verifyAs(
      principal,
      offline ? OFFLINE_PLAN_SIGNATURE_NAMESPACE : PLAN_SIGNATURE_NAMESPACE,
    );
    if (run.exitCode !== 0) return is('invalid', `the signature of ${principal} is not valid: ${said(run)}`);
  }
  return { ...is('valid', null), principals };
}

const KEY_AT_END = /\bkey (SHA256:[A-Za-z0-9+/]+)\s*$/;

/** Formats a time in UTC, because svc runs ssh-keygen in that zone. */
const timestampOf = (now: number): string =>
  new Date(now * 1000)
    .toISOString()
    .slice(0, 19)
    .replaceAll(/[^0-9]/g, '');

/** Does not check who owns the key. */
async function checkedSignature(
  path: string,
  sha256: string,
  namespace: string,
  dependencies: SshKeygenDependencies,
): Promise<{ readonly run: SshKeygenRun; readonly fingerprint: string | undefined }> {
  const args = ['-Y', 'check-novalidate', '-n', namespace, '-s', path];
  const run = await runSshKeygen(args, dependencies, { input: sha256 });
  const fingerprint = /\bkey (SHA256:[A-Za-z0-9+/]+)/.exec(run.stdout)?.[1];
  return { run, fingerprint: run.exitCode === 0 ? fingerprint : undefined };
}

export interface Approver {
  readonly name: string;
  readonly names: readonly string[];
  readonly fingerprints: readonly string[];
  readonly files: readonly string[];
}

/** Signatures that share a key or a name (`foldSignerName`) are of one person. */
export function groupSignaturesByPerson(signatures: readonly Signature[]): readonly Approver[] {
  let people: readonly Approver[] = [];
  for (const { state, principals, fingerprint, file } of signatures) {
    const [name] = principals;
    if (state !== 'valid' || name === undefined || fingerprint === null) continue;
    const one: Approver = { name, names: principals, fingerprints: [fingerprint], files: [file] };
    const same = people.filter((each) => areSame(each, one));
    const others = people.filter((each) => !same.includes(each));
    people = [...others, [...same, one].reduce(joined)];
  }
  return people.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function areSame(a: Approver, b: Approver): boolean {
  const names = b.names.map(foldSignerName);
  return (
    a.names.some((name) => names.includes(foldSignerName(name))) ||
    a.fingerprints.some((each) => b.fingerprints.includes(each))
  );
}

const joined = (a: Approver, b: Approver): Approver => ({
  name: a.name,
  names: [...new Set([...a.names, ...b.names])],
  fingerprints: [...new Set([...a.fingerprints, ...b.fingerprints])],
  files: [...a.files, ...b.files],
});

export interface SigningKey {
  /** Absolute path of a private key, or of a public key whose private key an SSH agent holds. */
  readonly path: string;
  readonly name: string;
}

/** @throws CampaignError `input` if the key does not exist */
export async function describeSigningKey(
  identity: SigningKey,
  dependencies: SshKeygenDependencies,
): Promise<{ readonly fingerprint: string; readonly comment: string | undefined }> {
  const shown = await runSshKeygen(['-l', '-f', identity.path], dependencies);
  // `256 SHA256:… alice@laptop (ED25519)`
  const parts = /^[0-9]+ (SHA256:\S+) (.*) \([^()]+\)\s*$/.exec(shown.stdout.split('\n')[0] ?? '');
  const [, fingerprint, comment = ''] = parts ?? [];
  if (shown.exitCode !== 0 || fingerprint === undefined)
    throw refusedReadableKey(shown)
      ? readableKey(identity)
      : noKey(identity, findFirstSshKeygenOutputLine(shown, { [identity.path]: identity.name }));
  // For a public key without a comment, ssh-keygen prints the file's name.
  const isNone = comment === 'no comment' || comment === '' || comment.startsWith(identity.path);
  return { fingerprint, comment: isNone ? undefined : comment };
}

/** @throws CampaignError `input`: the key can't be used */
export async function signPlanDigest(
  sha256: string,
  identity: SigningKey,
  dependencies: SshKeygenDependencies & { readonly onTerminal: boolean; readonly isOffline?: boolean },
): Promise<{ readonly text: string; readonly fingerprint: string }> {
  const { onTerminal } = dependencies;
  const namespace = dependencies.isOffline ? OFFLINE_PLAN_SIGNATURE_NAMESPACE : PLAN_SIGNATURE_NAMESPACE;
  return inTemporaryFolder(async (folder) => {
    const message = join(folder, 'digest');
    await writeFile(message, sha256);
    // With `-P ""`, ssh-keygen fails for a key that needs a passphrase, instead of asking for it.
    const asking = onTerminal ? [] : ['-P', ''];
    const args = ['-q', '-Y', 'sign', ...asking, '-n', namespace, '-f', identity.path, message];
    const signed = await runSshKeygen(args, dependencies, { onTerminal });
    if (signed.exitCode !== 0) {
      const said = findFirstSshKeygenOutputLine(signed, { [identity.path]: identity.name, [folder]: '' });
      if (refusedReadableKey(signed)) throw readableKey(identity);
      throw noKey(identity, onTerminal ? 'see the message of ssh-keygen above' : said);
    }
    const made = `${message}.sig`;
    const { fingerprint, run } = await checkedSignature(made, sha256, namespace, dependencies);
    if (fingerprint === undefined) throw noKey(identity, findFirstSshKeygenOutputLine(run, { [folder]: '' }));
    const text = readRegularFile(made, 'the signature', MAX_SIGNATURE_OCTETS).toString('utf8');
    return { text, fingerprint };
  });
}

const noKey = ({ name }: SigningKey, why: string): CampaignError =>
  new CampaignError('input', `cannot use the key ${name}: ${why}`, {
    hint: 'enter the passphrase on a terminal, or add the key to ssh-agent and give its public key with --identity',
  });

const readableKey = ({ name }: SigningKey): CampaignError =>
  new CampaignError('input', `cannot use the key ${name}: other users can read the file`, {
    hint: `run chmod 600 ${name}`,
  });

export const TEMPORARY_FOLDER_PREFIX = 'svc-approval-';
/** No run of ssh-keygen takes that long. */
const LEFTOVER_AGE_MS = 60 * 60_000;

async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  await removeOldFolders();
  const folder = await mkdtemp(join(tmpdir(), TEMPORARY_FOLDER_PREFIX));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function removeOldFolders(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(TEMPORARY_FOLDER_PREFIX))) {
    const path = join(tmpdir(), name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats?.isDirectory() || stats.uid !== userInfo().uid || Date.now() - stats.mtimeMs < LEFTOVER_AGE_MS)
      continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
