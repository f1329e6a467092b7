/**
 * Writes and reads the file that `automation pause` creates when it pauses many rules, so that a later command resumes exactly these rules.
 * The first line names the service and the company. The next lines list the rules, and are written before svc sends anything. Each change
 * of a rule's state adds a line, which is on disk before svc sends the next request.
 */
import { constants } from 'node:fs';
import { openPrivateLedger } from '../../kit/files/ledger.ts';
import { type Id, isId } from '../../kit/schema/integer.ts';
import {
  createShape,
  fits,
  objectWithAtLeast,
  oneOfValues,
  type Shaped,
  text,
} from '../../kit/schema/shape.ts';
import { parseJsonObject } from '../../kit/text/json-object.ts';
import { explainNewerFile, UPDATE_SVC_HINT } from '../../kit/text/svc-error.ts';
import type { AccountId } from '../../service/auth/credentials.ts';
import { formatJson, parseJson } from '../../service/protocol/json.ts';
import { JournalError } from './file.ts';

const VERSION = 1;

const headerShape = objectWithAtLeast({
  version: oneOfValues(VERSION),
  record: oneOfValues('paused-rules'),
  /** ISO 8601 in UTC, by the clock of this machine. */
  time: text,
  origin: text,
  company: createShape<AccountId | null | undefined>(
    (value) => (value ?? null) === null || isId(value),
    'an id',
  ),
});

const ruleShape = objectWithAtLeast({
  kind: text,
  id: createShape<Id>(isId, 'an id'),
  name: createShape<unknown>(() => true, 'a name'),
  /**
   * `listed`: the rule is active, and svc will pause it. `begun`: svc may have sent the request that pauses the rule. `paused`: the service
   * paused the rule. `refused`: the service refused to pause the rule. `resumed`: the rule was paused and then resumed.
   */
  state: oneOfValues('listed', 'begun', 'paused', 'refused', 'resumed'),
});

type PausedRule = Shaped<typeof ruleShape> & { readonly name: string };
type PausedRulesHeader = Pick<Shaped<typeof headerShape>, 'time' | 'origin'> & {
  readonly company: AccountId | null;
};
export type PausedRules = PausedRulesHeader & { readonly rules: readonly PausedRule[] };

/** The line is on disk when the function returns. */
export type RulePauseStateWriter = (
  rule: Pick<PausedRule, 'kind' | 'id'>,
  state: PausedRule['state'],
) => void;

/**
 * No other user can read the file.
 * @throws FileError if a file of that name exists, or if the file can't be written
 */
export function createPausedRulesFileAndWriter(
  path: string,
  platform: NodeJS.Platform,
  header: PausedRulesHeader,
  rules: readonly Omit<PausedRule, 'state'>[],
): RulePauseStateWriter {
  const first = { version: VERSION, record: 'paused-rules', ...header };
  const listed = rules.map((rule) => ({ ...rule, state: 'listed' }));
  append(path, platform, [first, ...listed], constants.O_CREAT | constants.O_EXCL);
  return createRulePauseStateWriter(path, platform);
}

export const createRulePauseStateWriter =
  (path: string, platform: NodeJS.Platform): RulePauseStateWriter =>
  ({ kind, id }, state) =>
    append(path, platform, [{ kind, id, state }]);

function append(path: string, platform: NodeJS.Platform, lines: readonly object[], flags = 0): void {
  const ledger = openPrivateLedger(path, platform, flags);
  try {
    ledger.append(lines.map((line) => `${formatJson(line)}\n`).join(''));
    ledger.syncNow();
  } finally {
    ledger.close();
  }
}

/**
 * Ignores a truncated line.
 * @returns undefined if the text is not a file of paused rules
 * @throws JournalError if a newer svc wrote the file
 */
export function parsePausedRules(content: string, name: string): PausedRules | undefined {
  const [first, ...others] = content.split('\n').map((line) => parseJsonObject(line, parseJson));
  const newer = explainNewerFile(name, first, VERSION);
  if (newer !== undefined)
    throw new JournalError('storage', `${newer}; nothing was sent`, { hint: UPDATE_SVC_HINT });
  if (!fits(headerShape, first)) return undefined;
  const rules = new Map<string, PausedRule>();
  for (const line of others) {
    if (line === undefined) continue;
    if (!fits(ruleShape, line)) return undefined;
    const { kind, id, name = '', state } = line;
    const key = `${kind}:${String(id)}`;
    rules.set(key, { kind, id, name: rules.get(key)?.name ?? String(name), state });
  }
  const { time, origin, company = null } = first;
  return { time, origin, company, rules: [...rules.values()] };
}
