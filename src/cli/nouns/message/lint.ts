/** `src/service/lint/` has the rules. */

import { titleOf } from '../../../client/requests/record-title.ts';
import type { ContentMarkupNames, Finding, Resource } from '../../../kit/schema/resource.ts';
import { formatCountWithNoun } from '../../../kit/text/words.ts';
import type {
  ContentOrigin,
  LinkTarget,
  LintFinding,
  LintRule,
  MessageContent,
} from '../../../service/lint/finding.ts';
import type { MessageRecord, MessageResource } from '../../../service/resources/task.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import { type FlagShape, switchFlag } from '../../command/flag.ts';
import { InvalidInputError, UsageError } from '../../errors/errors.ts';
import { createBodyFlags, writableAttributes } from '../../request/attribute-flags.ts';
import { type BodyDraft, readBody } from '../../request/body.ts';
import { attributeFilePaths, attributesToLint } from '../../request/message-lint.ts';
import { resolveRecord } from '../../request/references.ts';
import { isResultPrintedForPeople } from '../../request/write-outcome.ts';
import type { Invocation, Ports, ServiceAccess, Tell } from '../../session/ports.ts';
import { idPositional } from '../generic/read.ts';
import {
  ignoredLintRulesFlag,
  lintExitCode,
  lintFormatFlag,
  type MessageLintFinding,
  type MessageLintResult,
  strictFlag,
} from './lint-flags.ts';

const watchFlag = switchFlag('watch', { describe: 'Check the files again on each save, until Ctrl-C' });

const lintAllFlag = switchFlag('all', { describe: 'Lint all stored messages' });

export interface LintVerbOptions {
  readonly example: string;
  readonly about: string;
  /** Attributes of a stored message that are checked. */
  readonly content: readonly string[];
  /** Help does not need the linter. */
  readonly load: () => Promise<MessageLinter>;
  /** Flags besides those that set the attributes. */
  readonly flags?: readonly FlagShape[];
  /** For flags that are not attributes, such as `--text-from-html`. `words` loads the opt-in elements. */
  readonly read?: (
    session: Ports,
    input: Input,
    words: () => Promise<ContentMarkupNames>,
  ) => Promise<BodyDraft>;
  readonly readServiceFacts?: (session: Ports, stored: MessageRecord) => Promise<StoredMessageFacts>;
  /** The flags can name files, so that `--watch` is possible. */
  readonly watches?: true;
}

export interface MessageLinter {
  readonly rules: readonly LintRule[];
  readonly lint: (content: MessageContent, origin: ContentOrigin) => readonly LintFinding[];
  /** Returns the size and cost in one line. */
  readonly summarise: (content: MessageContent) => string | undefined;
}

/** Facts about a stored message that its attributes do not contain. */
export interface StoredMessageFacts {
  readonly postalAddress?: string;
  readonly targets?: readonly LinkTarget[];
}

export function createLintVerb(resource: MessageResource, lint: LintVerbOptions): Verb {
  return {
    name: 'lint',
    summary: `Lint ${resource.singular}; exit 11 on errors`,
    about: lint.about,
    work: 'finds',
    exits: { 11: 'errors found' },
    methods: ['POST'],
    example: lint.example,
    positionals: [{ ...idPositional(resource), optional: true }],
    flags: [
      ...[lintAllFlag, lintFormatFlag, strictFlag, ignoredLintRulesFlag],
      ...(lint.watches ? [watchFlag] : []),
      ...(lint.flags ?? []),
      ...createBodyFlags(resource, 'PUT'),
    ],
    companies: 'reads',
    live: true,
    run: async (session, input) => {
      refuseFormatConflicts(session, input);
      const linter = await lint.load();
      checkIgnoredRulesExist(linter.rules, input);
      const isAll = input.get(lintAllFlag);
      if (isAll) refuseContentWithAll(resource, lint, input);
      const work = () => (isAll ? lintAll : lintOnce)({ session, resource, lint, linter, input });
      if (input.find(watchFlag)) {
        const { lintOnEachSave } = await import('./lint-watch.ts');
        const files = Object.values(attributeFilePaths(resource, input));
        return lintOnEachSave(session, input, files, work);
      }
      return formatLintOutcome(session, input, linter.rules, await work());
    },
  };
}

/** `--format` prints no rows. */
export function refuseFormatConflicts({ globals }: Invocation, input: Input): void {
  if (!input.has(lintFormatFlag)) return;
  const isQueried = globals.fields ?? globals.query ?? globals.jq;
  if (input.has({ name: 'output' }) || input.has({ name: 'json' }) || isQueried !== undefined)
    throw new UsageError('cannot combine --format with -o, --json, --fields, --query or --jq', {
      hint: 'leave out --format; -o json prints the same rows',
    });
  if (globals.companies !== undefined)
    throw new UsageError('cannot combine --format with --companies', { hint: 'write -o json' });
}

/** @throws UsageError for an unknown rule */
export function checkIgnoredRulesExist(rules: readonly LintRule[], input: Input): void {
  const unknown = input.get(ignoredLintRulesFlag).find((name) => !rules.some(({ rule }) => rule === name));
  if (unknown !== undefined)
    throw new UsageError(`unknown rule ${unknown}`, { hint: 'run svc help lint to see the rules' });
}

/** @throws UsageError if `--all` is given together with a message or with content */
function refuseContentWithAll(
  resource: Resource,
  { flags = [], watches }: LintVerbOptions,
  input: Input,
): void {
  const others = [...(watches ? [watchFlag] : []), ...flags, ...createBodyFlags(resource, 'PUT')];
  const given = others.find((flag) => input.has(flag));
  if (given === undefined && input.positionals.length === 0) return;
  throw new UsageError(`cannot combine --all with ${given === undefined ? 'a message' : `--${given.name}`}`, {
    hint: 'to check one message, leave out --all',
  });
}

interface LintWork {
  readonly session: Ports;
  readonly resource: MessageResource;
  readonly lint: LintVerbOptions;
  readonly linter: MessageLinter;
  readonly input: Input;
}

/** Checks messages by ascending id. Each finding begins with the title of its message. */
async function lintAll({ session, resource, lint, linter, input }: LintWork): Promise<MessageLintResult> {
  const client = await session.client();
  const words = (await session.resolved()).naming;
  const ignored = new Set(input.get(ignoredLintRulesFlag));
  const findings: MessageLintFinding[] = [];
  let count = 0;
  await session.waiting(`for all ${resource.plural} to be checked`, async () => {
    for await (const record of client.list(resource, {})) {
      count += 1;
      const content = attributesToLint(lint.content, record);
      const facts = await lint.readServiceFacts?.(session, record);
      const stored = new Set(Object.keys(content));
      const found = linter.lint(content, { files: {}, stored, words, ...facts });
      const title = titleOf(resource, record);
      for (const finding of found)
        if (!ignored.has(finding.rule))
          findings.push({ id: record.id ?? null, ...finding, message: `${title}: ${finding.message}` });
    }
  });
  return { findings, isOfAll: true, summary: formatCountWithNoun(count, 'message') };
}

async function lintOnce(work: LintWork): Promise<MessageLintResult> {
  const { linter, input } = work;
  const { content, origin } = await contentOf(work);
  const ignored = new Set(input.get(ignoredLintRulesFlag));
  const findings = linter.lint(content, origin).filter(({ rule }) => !ignored.has(rule));
  return { findings, summary: linter.summarise(content) };
}

/** The value of a flag replaces the stored value of the same attribute. */
async function contentOf({ session, resource, lint, input }: LintWork) {
  const [text] = input.positionals;
  // A check of files needs no credentials.
  const words = async (): Promise<ContentMarkupNames> =>
    text === undefined ? session.naming() : (await session.resolved()).naming;
  const { body, findings } = await (lint.read?.(session, input, words) ??
    readBody(session, resource, 'PUT', input));
  const refused = [...findings, ...(await inputFindings(resource, body))];
  if (refused.length > 0) throw new InvalidInputError(refused, '');
  if (text === undefined && Object.keys(body).length === 0)
    throw new UsageError('nothing to check', {
      hint: 'give an id, a name, or the content in flags; to check all messages, add --all',
    });
  const stored = text === undefined ? undefined : await resolveRecord(session, resource, text);
  const known = attributesToLint(lint.content, stored ?? {}, body);
  const more = stored === undefined ? {} : await lint.readServiceFacts?.(session, stored);
  return {
    content: { ...known, ...body },
    origin: {
      files: attributeFilePaths(resource, input),
      stored: new Set(Object.keys(known)),
      words: await words(),
      ...more,
    },
  };
}

/** Finds unknown attributes of `--data`, and files that are not text. */
async function inputFindings(
  resource: Resource,
  body: Readonly<Record<string, unknown>>,
): Promise<readonly Finding[]> {
  const [{ checkPayload }, { unstorableTextReason }] = await Promise.all([
    import('../../../kit/schema/validator.ts'),
    import('../../../kit/text/words.ts'),
  ]);
  const known = writableAttributes(resource, 'PUT');
  const isBroken = (value: unknown): boolean =>
    typeof value === 'string' && unstorableTextReason(value) !== undefined;
  return checkPayload(resource, 'PUT', 'company', { ...body }).findings.filter(
    ({ attribute }) => !known.includes(attribute) || isBroken(body[attribute]),
  );
}

/** Without `--format`, prints text for people or rows for programs. */
export async function formatLintOutcome(
  session: Invocation & Tell & ServiceAccess,
  input: Input,
  rules: readonly LintRule[],
  linted: MessageLintResult,
): Promise<Outcome> {
  const exit = lintExitCode(linted.findings, input.get(strictFlag));
  const { createLintFindingRows, formatLintResult } = await import('./lint-output.ts');
  const format = input.get(lintFormatFlag);
  if (format === undefined && !(await isResultPrintedForPeople(session)))
    return { result: createLintFindingRows(linted), exit };
  return { result: await formatLintResult(session, input, rules, linted), exit };
}
