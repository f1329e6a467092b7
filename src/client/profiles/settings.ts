import { readIdText } from '../../kit/schema/integer.ts';
import type { AccountId } from '../../service/auth/credentials.ts';
import {
  parseNamingOverrides,
  toCamelCaseSettingName,
  toKebabCaseSettingName,
} from '../../service/protocol/naming.ts';
import { parseBaseUrl } from '../../service/protocol/wire.ts';
import { isAccountId, ProfileError } from './errors.ts';
import { withListName } from './list-names.ts';
import {
  isTopLevelSetting,
  OUTPUT_FORMATS,
  PROFILE_SETTING_NAMES,
  type Profile,
  profileProblem,
  type TopLevelSetting,
  withBudgetSetting,
} from './profile.ts';

/**
 * Returns the profile with one setting changed. An empty value removes an optional setting. The setting `key-command` is a command that
 * prints the key. If a profile with a stored key gets this setting, the stored key is removed.
 * @throws ProfileError `usage` if the setting does not exist, or if the profile would become invalid
 */
export function withProfileSetting(profile: Profile, key: string, value: string): Profile {
  const changed = apply(profile, key, value);
  const problem = profileProblem(changed);
  if (problem !== undefined) throw new ProfileError('usage', problem);
  const { naming } = changed;
  return naming === undefined ? changed : { ...changed, naming: parseNamingOverrides(naming) };
}

function apply(profile: Profile, key: string, value: string): Profile {
  if (key.startsWith('naming.')) return { ...profile, naming: changedNaming(profile, key, value) };
  if (key.startsWith('budget.'))
    return withValue(
      profile,
      'budget',
      withBudgetSetting(profile.budget, key.slice('budget.'.length), value),
    );
  if (key.startsWith('list.'))
    return withValue(profile, 'lists', withListName(profile.lists, key.slice('list.'.length), value));
  if (!isTopLevelSetting(key)) throw noSuchSetting(key);
  return CHANGES[key](profile, value);
}

const CHANGES: Readonly<Record<TopLevelSetting, (profile: Profile, value: string) => Profile>> = {
  'base-url': (profile, value) => ({ ...profile, baseUrl: sameOrigin(profile, value) }),
  // The zone of the previous company does not apply.
  company: ({ companyZone: _, ...profile }, value) =>
    withValue(profile, 'companyId', readId('company', value)),
  user: (profile, value) => withValue(profile, 'userId', readId('user', value)),
  partner: (profile, value) => withValue(profile, 'partnerId', readId('partner', value)),
  'key-command': ({ apiKey: _replaced, ...rest }, value) => ({ ...rest, keyCommand: value }),
  output: (profile, value) => {
    if (value !== '' && !OUTPUT_FORMATS.includes(value))
      throw new ProfileError('usage', `output cannot be ${JSON.stringify(value)}`, {
        hints: [`one of ${OUTPUT_FORMATS.join(', ')}`],
      });
    // An older svc does not know the other name.
    return withValue(profile, 'output', value === 'jsonl' ? 'ndjson' : value || undefined);
  },
  tz: (profile, value) => withValue(profile, 'tz', value === '' ? undefined : value),
  'read-only': (profile, value) => withValue(profile, 'readOnly', readSwitch('read-only', value)),
  'require-company': (profile, value) =>
    withValue(profile, 'requireCompany', readSwitch('require-company', value)),
  'require-approvals': (profile, value) => withValue(profile, 'requireApprovals', readCount(value)),
  'approvals-for': (profile, value) => withValue(profile, 'approvalsFor', readScope(value)),
  signers: (profile, value) => withValue(profile, 'signers', value === '' ? undefined : value),
  'proof-list': (profile, value) => withValue(profile, 'proofList', readId('proof-list', value)),
};

/** Reads the value of a setting that is on or off. Returns true for on and undefined for off. */
function readSwitch(key: string, value: string): true | undefined {
  if (value === 'true') return true;
  if (value === 'false' || value === '') return undefined;
  throw new ProfileError('usage', `${key} must be true or false`);
}

/** Reads the value of `require-approvals`. Returns undefined for 0 and for an empty value, which both remove the setting. */
function readCount(value: string): number | undefined {
  if (value === '' || value === '0') return undefined;
  if (/^[1-9][0-9]?$/.test(value)) return Number(value);
  throw new ProfileError('usage', 'require-approvals must be a whole number of 0 to 99');
}

/** Reads the value of `approvalsFor`. Returns undefined for `all`, which is the default and is not stored. */
function readScope(value: string): 'tasks' | undefined {
  if (value === '' || value === 'all') return undefined;
  if (value === 'tasks') return 'tasks';
  throw new ProfileError('usage', 'the value of approvals-for must be "all" or "tasks"');
}

// Contract, "Safety": a profile's key belongs to one origin, so a setting can't carry it to another.
function sameOrigin(profile: Profile, text: string): string {
  const now = parseBaseUrl(profile.baseUrl);
  const next = parseBaseUrl(text);
  if ('problem' in next) throw new ProfileError('usage', `base-url: the base URL ${next.problem}`);
  if ('problem' in now || now.origin === next.origin) return text;
  throw new ProfileError(
    'usage',
    `the key of profile ${profile.name} belongs to ${now.origin} and cannot be moved to ${next.origin}`,
    { hints: [`svc profile add NAME --base-url ${next.origin} … creates a profile with its own key`] },
  );
}

function readId(key: string, value: string): AccountId | undefined {
  if (value === '') return undefined;
  const id = readIdText(value);
  if (!isAccountId(id)) throw new ProfileError('usage', `${key} must be a whole number of at least 1`);
  return id;
}

function changedNaming(profile: Profile, key: string, value: string): Readonly<Record<string, unknown>> {
  const [, written = '', attribute] = /^naming\.([A-Za-z-]+)(?:\.([A-Za-z0-9_]+))?$/.exec(key) ?? [];
  const entry = toKebabCaseSettingName(toCamelCaseSettingName(written));
  const naming = new Map(
    Object.entries(profile.naming ?? {}).map(([each, said]) => [toCamelCaseSettingName(each), said]),
  );
  if (entry === 'fields' && attribute !== undefined) {
    const fields = new Map(Object.entries(naming.get('fields') ?? {}));
    if (value === '') fields.delete(attribute);
    else fields.set(attribute, value);
    naming.set('fields', Object.fromEntries(fields));
    return Object.fromEntries(naming);
  }
  if (!PROFILE_SETTING_NAMES.includes(`naming.${entry}`) || attribute !== undefined) throw noSuchSetting(key);
  const name = toCamelCaseSettingName(entry);
  if (value === '') naming.delete(name);
  else naming.set(name, value);
  return Object.fromEntries(naming);
}

/** If the value is undefined, the property is removed. */
function withValue<
  K extends
    | 'companyId'
    | 'userId'
    | 'partnerId'
    | 'output'
    | 'tz'
    | 'readOnly'
    | 'requireCompany'
    | 'requireApprovals'
    | 'approvalsFor'
    | 'signers'
    | 'proofList'
    | 'lists'
    | 'budget',
>(profile: Profile, key: K, value: Profile[K] | undefined): Profile {
  const { [key]: _was, ...rest } = profile;
  return (value === undefined ? rest : { ...rest, [key]: value }) as Profile;
}

function noSuchSetting(key: string): ProfileError {
  return new ProfileError('usage', `a profile has no setting ${JSON.stringify(key)}`, {
    hints: [`settings: ${PROFILE_SETTING_NAMES.join(', ')}`],
  });
}
