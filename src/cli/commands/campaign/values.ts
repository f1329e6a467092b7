/** Reads the values that a command gives to a campaign file: `--set`, `--values` and `--env`. */

import type { CampaignFault } from '../../../features/campaign/file/read.ts';
import {
  findUnusedValues,
  readValuesFile,
  sayUnused,
  type ValuesFile,
  valuesOfCompany,
} from '../../../features/campaign/file/values.ts';
import { sayReason } from '../../../kit/schema/reason.ts';
import type { AccountId } from '../../../service/auth/credentials.ts';
import type { Input } from '../../command/command.ts';
import { type FileFinding, InvalidInputError, UsageError } from '../../errors/errors.ts';
import { envFlag, setFlag, valuesFlag } from '../../request/campaign-value-flags.ts';
import { contentFileLimits } from '../../session/content-limits.ts';
import type { Invocation, Profiles } from '../../session/ports.ts';

export interface GivenValues {
  readonly set: ReadonlyMap<string, string>;
  readonly file: ValuesFile | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Profile whose section of the values file counts. */
  readonly profile: string | undefined;
}

/** @throws InvalidInputError with all faults of the values file */
export async function readGivenValues(session: Invocation & Profiles, input: Input): Promise<GivenValues> {
  const path = input.get(valuesFlag);
  const limits = path === undefined ? undefined : await contentFileLimits(session);
  const file = limits && (await readValuesFile(path ?? '', { cwd: session.context.cwd, limits }));
  if (file && 'faults' in file) throw new InvalidInputError(file.faults.map(findingOf));
  return {
    set: variablesIn(input.get(setFlag)),
    file,
    env: await allowedIn(session, input.get(envFlag)),
    profile: file === undefined || file.profiles.size === 0 ? undefined : await session.profileName(),
  };
}

export interface CompanyValues {
  readonly given: GivenValues;
  readonly set: ReadonlyMap<string, string>;
}

/** `--set` takes the place of the values file. @param company undefined if svc knows no company, or if the command needs none */
export function valuesFor(given: GivenValues, company: AccountId | string | undefined): CompanyValues {
  const id = company === undefined ? undefined : String(company);
  const named = given.file === undefined ? [] : [...valuesOfCompany(given.file, id, given.profile)];
  return { given, set: new Map([...named.map(([name, { text }]) => [name, text] as const), ...given.set]) };
}

export const unusedValues = ({ file }: GivenValues, used: ReadonlySet<string>): readonly FileFinding[] =>
  file === undefined ? [] : findUnusedValues(file, used).map(findingOf);

/** @throws UsageError for a value of `--set` or `--env` that no file uses */
export function refuseUnusedFlags({ set, env }: GivenValues, used: ReadonlySet<string>): void {
  const unused = [...set.keys()].find((name) => !used.has(name));
  if (unused !== undefined) throw new UsageError(`--set ${unused}: ${sayUnused(unused, used)}`);
  const spare = Object.keys(env).find((name) => !used.has(`env.${name}`));
  if (spare !== undefined) throw new UsageError(`--env ${spare}: the file does not use \${{ env.${spare} }}`);
}

export const findingOf = ({ file, line, column, message }: CampaignFault): FileFinding => ({
  ...{ file, line, column },
  ...{ attribute: '', reason: message },
});

function variablesIn(given: readonly string[]): ReadonlyMap<string, string> {
  const set = new Map<string, string>();
  for (const each of given) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(each) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`--set ${each}: must be name=value`, { hint: 'write --set build=42' });
    set.set(name, value);
  }
  return set;
}

/** @throws UsageError for a variable with a key, or if none has the name, for example because the user wrote `NAME=value` */
async function allowedIn(
  session: Invocation & Profiles,
  names: readonly string[],
): Promise<GivenValues['env']> {
  const { env } = session.context;
  const { secrets } = names.length === 0 ? { secrets: [] } : await contentFileLimits(session);
  return Object.fromEntries(
    names.map((name) => {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      if (secrets.some((secret) => value?.includes(secret)))
        throw new UsageError(`--env ${name}: this variable holds an API key or a token of svc`);
      if (value !== undefined) return [name, value];
      throw new UsageError(`--env ${name}: this environment variable is not set`, {
        hint: name.includes('=')
          ? 'write --env NAME, or set a value with --set name=value'
          : `export ${name}=… first`,
      });
    }),
  );
}

/** Merges the faults of one file that svc read for several companies. A fault names its companies, unless all of them have it. */
export function mergeCompanyFindings(
  found: readonly { readonly company: string; readonly findings: readonly FileFinding[] }[],
): readonly FileFinding[] {
  const merged = new Map<string, { readonly finding: FileFinding; readonly companies: string[] }>();
  for (const { company, findings } of found)
    for (const finding of findings) {
      const name = JSON.stringify([finding.file, finding.line, finding.column, sayReason(finding.reason)]);
      const known = merged.get(name);
      if (known) known.companies.push(company);
      else merged.set(name, { finding, companies: [company] });
    }
  return [...merged.values()].map(({ finding, companies }) =>
    companies.length === found.length && found.length > 1
      ? finding
      : { ...finding, reason: `${namesOfCompanies(companies)}: ${sayReason(finding.reason)}` },
  );
}

const NAMED = 5;

function namesOfCompanies(companies: readonly string[]): string {
  const [first] = companies;
  if (companies.length === 1) return `company ${first}`;
  const more = companies.length - NAMED;
  return `companies ${companies.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
