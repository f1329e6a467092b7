/**
 * Writes and reads the file that `automation pause` creates when it pauses many rules, so that a later command resumes exactly these rules.
 * The first line names the service and the company. The next lines list the rules, and are written before svc sends anything. Each change
 * of a rule's state adds a line, which is on disk before svc sends the next request.
 */

import { closeSync, constants, fsyncSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AccountId } from '../auth/credentials.ts';
import { writeWhole } from '../files/atomic-file.ts';
import { flushDirectoryToDisk, thisUser } from '../files/directories.ts';
import { openPrivateFile } from '../files/private-file.ts';
import { formatJson, parseJson } from '../protocol/json.ts';
import { type Id, isId } from '../schema/integer.ts';
import { createShape, fits, objectWithAtLeast, oneOfValues, text } from '../schema/shape.ts';
import { parseJsonObject } from '../text/json-object.ts';
import { explainNewerFile, UPDATE_SVC_HINT } from '../text/svc-error.ts';
import { JournalError } from './file.ts';

/**
 * States of a rule in the file of paused rules. `listed`: the rule is active, and svc will pause it. `begun`: svc may have sent the request
 * that pauses the rule. `paused`: the service paused the rule. `refused`: the service refused to pause the rule. `resumed`: the rule was
 * paused and then resumed.
 */
const STATES = ['listed', 'begun', 'paused', 'refused', 'resumed'] as const;
type RulePauseState = (typeof STATES)[number];

interface PausedRule {
  readonly kind: string;
  readonly id: Id;
  readonly name: string;
}

interface PausedRulesHeader {
  /** ISO 8601 in UTC, by the clock of this machine. */
  readonly time: string;
  readonly origin: string;
  readonly company: AccountId | null;
}

export interface PausedRules extends PausedRulesHeader {
  readonly rules: readonly (PausedRule & { readonly state: RulePauseState })[];
}

/** The line is on disk when the function returns. */
export type RulePauseStateWriter = (rule: Pick<PausedRule, 'kind' | 'id'>, state: RulePauseState) => void;

const VERSION = 1;

/**
 * No other user can read the file.
 * @throws FileError if a file of that name exists, or if the file can't be written
 */
export function createPausedRulesFileAndWriter(
  path: string,
  platform: NodeJS.Platform,
  header: PausedRulesHeader,
  rules: readonly PausedRule[],
): RulePauseStateWriter {
  const first = { version: VERSION, record: 'paused-rules', ...header };
  const lines = [first, ...rules.map((rule) => ({ ...rule, state: 'listed' }))];
  append(path, platform, lines, constants.O_CREAT | constants.O_EXCL);
  flushDirectoryToDisk(dirname(path), platform);
  return createRulePauseStateWriter(path, platform);
}

export const createRulePauseStateWriter =
  (path: string, platform: NodeJS.Platform): RulePauseStateWriter =>
  ({ kind, id }, state) =>
    append(path, platform, [{ kind, id, state }]);

/**
 * Ignores a truncated last line.
 * @returns undefined if the text is not a file of paused rules
 * @throws JournalError if a newer svc wrote the file
 */
export function parsePausedRules(content: string, name: string): PausedRules | undefined {
  const [first, ...others] = content.split('\n').map((line) => parseJsonObject(line, parseJson));
  const newer = explainNewerFile(name, first, VERSION);
  if (newer !== undefined)
    throw new JournalError('storage', `${newer}; nothing was sent`, { hint: UPDATE_SVC_HINT });
  if (!fits(headerShape, first)) return undefined;
  const { time, origin, company = null } = first;
  const rules = new Map<string, PausedRules['rules'][number]>();
  for (const line of others) {
    if (line === undefined) continue;
    if (!fits(ruleShape, line)) return undefined;
    const { kind, id, name = '', state } = line;
    const key = `${kind}:${String(id)}`;
    const known = rules.get(key);
    rules.set(key, { kind, id, name: known?.name ?? String(name), state });
  }
  return { time, origin, company, rules: [...rules.values()] };
}

const headerShape = objectWithAtLeast({
  version: oneOfValues(VERSION),
  record: oneOfValues('paused-rules'),
  time: text,
  origin: text,
  company: createShape<number | null | undefined>(
    (value) => value === undefined || value === null || typeof value === 'number',
    'an id',
  ),
});

const ruleShape = objectWithAtLeast({
  kind: text,
  id: createShape<Id>(isId, 'an id'),
  name: createShape<unknown>(() => true, 'a name'),
  state: oneOfValues(...STATES),
});

function append(path: string, platform: NodeJS.Platform, lines: readonly object[], flags = 0): void {
  const file = openPrivateFile(path, constants.O_WRONLY | constants.O_APPEND | flags, thisUser(platform));
  try {
    writeWhole(file, lines.map((line) => `${formatJson(line)}\n`).join(''));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
