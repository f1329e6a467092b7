/** Checks, previews and sends files whenever they are saved. */

import { ClientError } from '../../../client/requests/errors.ts';
import { titleOf } from '../../../client/requests/record-title.ts';
import { FileError } from '../../../kit/files/errors.ts';
import { parseIntegerDigits } from '../../../kit/schema/integer.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import type { ContentOrigin, MessageContent } from '../../../service/lint/finding.ts';
import { emailMessage } from '../../../service/resources/email-message.ts';
import type { Input, Outcome } from '../../command/command.ts';
import { EXIT, type ExitCode } from '../../errors/exit-codes.ts';
import { explainError } from '../../errors/explain-error.ts';
import { confirm, requireYesFlagOrTerminal } from '../../request/guards.ts';
import { attributesToLint } from '../../request/message-lint.ts';
import { readRecordById } from '../../request/references.ts';
import type { Invocation, Notes, Ports } from '../../session/ports.ts';
import { createLivePreviewPages, type LivePreviewPages } from './browser-preview.ts';
import { EMAIL_LINT_OPTIONS } from './email-content.ts';
import { checkIgnoredRulesExist, type MessageLinter } from './lint.ts';
import { ignoredLintRulesFlag, lintExitCode, openFlag } from './lint-flags.ts';
import { printLintFindings } from './lint-output.ts';
import { printUnreadableFileError, requireTextOutputFormat, watchFiles } from './lint-watch.ts';
import { buildHtmlAndTextFilePaths } from './pulled-files.ts';
import {
  type MessagePartsToPush,
  type MessagePushOptions,
  pushMessageParts,
  readMessagePartsToPush,
  refuseIfInCampaign,
} from './push-all.ts';

interface WatchContext {
  readonly session: Ports;
  readonly linter: MessageLinter;
  readonly ignored: ReadonlySet<string>;
  readonly preview: LivePreviewPages;
  /** If undefined, svc only checks the files. */
  readonly push: MessagePushOptions | undefined;
}

interface WatchedMessage {
  /** Absolute path without the file extension. `givenPath` is the same path as the user gave it. */
  readonly base: string;
  readonly givenPath: string;
  readonly title: string;
  /** Lint checks these attributes, such as the subject, but the files lack them. Read when the watch starts. */
  readonly otherAttributes: MessageContent;
  /** The message never had these parts. Their absence is not reported. */
  readonly absentParts: readonly string[];
  readonly origin: ContentOrigin;
  /** Result of the last check or upload. */
  exit: ExitCode;
}

/** Maps absolute paths to the same paths as the user gave them, both without the extension. */
type WatchedPaths = ReadonlyMap<string, string>;

/**
 * Checks the files before any request or write. If `push` is set, svc uploads files without lint errors.
 * Later uploads never create a version or overwrite changes on the service. The returned function watches
 * until Ctrl-C and returns the exit code of the last check.
 */
export async function prepareFileWatch(
  session: Ports,
  input: Input,
  push?: MessagePushOptions,
): Promise<(paths: WatchedPaths) => Promise<Outcome>> {
  await requireTextOutputFormat(session);
  if (push) requireYesFlagOrTerminal(session, 'upload files on each save');
  const linter = await EMAIL_LINT_OPTIONS.load();
  checkIgnoredRulesExist(linter.rules, input);
  const preview = createLivePreviewPages(session, input.get(openFlag));
  const work = { session, linter, ignored: new Set(input.get(ignoredLintRulesFlag)), preview, push };
  return async (paths) => {
    try {
      return await watch(work, paths);
    } finally {
      preview.end();
    }
  };
}

async function watch(work: WatchContext, bases: WatchedPaths): Promise<Outcome> {
  const { session, push } = work;
  const all: WatchedMessage[] = [];
  for (const [base, givenPath] of bases) all.push(await watched(work, base, givenPath));
  if (push) await confirmSending(session, all);
  const untilEnd = watchFiles(
    session,
    all.map((each) => ({ paths: buildHtmlAndTextFilePaths(each.base), onSaved: () => onSaved(work, each) })),
  );
  const clean: MessagePartsToPush[] = [];
  for (const each of all) clean.push(...(await check(work, each)));
  if (push) {
    await printNotUploaded(session, all);
    await pushMessageParts(session, clean, push);
  }
  session.beforeChange('watch the files');
  for (const { givenPath } of all) await session.info(`Watching ${givenPath}.html and .txt.`);
  await session.info(`${push ? 'Uploads each save that has no errors. ' : ''}Ctrl-C ends.`);
  await untilEnd();
  return { result: { kind: 'nothing' }, exit: all.find(({ exit }) => exit !== EXIT.done)?.exit ?? EXIT.done };
}

async function watched(
  { session, push }: WatchContext,
  base: string,
  givenPath: string,
): Promise<WatchedMessage> {
  const { sidecar } = await readMessagePartsToPush(session, base, givenPath);
  const record = await readRecordById(session, emailMessage, parseIntegerDigits(sidecar.id));
  if (push) refuseIfInCampaign(record);
  const [more, { naming }] = await Promise.all([
    EMAIL_LINT_OPTIONS.readServiceFacts(session, record),
    session.resolved(),
  ]);
  const parts = { html: '', text: '' };
  const known = attributesToLint(EMAIL_LINT_OPTIONS.content, record, parts);
  return {
    ...{ base, givenPath, otherAttributes: known, title: titleOf(emailMessage, record), exit: EXIT.done },
    absentParts: (['html', 'text'] as const).filter((part) => (record[part] ?? '') === ''),
    origin: {
      files: { html: `${givenPath}.html`, text: `${givenPath}.txt` },
      stored: new Set(Object.keys(known)),
      words: naming,
      ...more,
    },
  };
}

async function confirmSending(session: Invocation, all: readonly WatchedMessage[]): Promise<void> {
  const [first, ...others] = all;
  if (first === undefined) return;
  const what =
    others.length === 0
      ? `upload ${first.givenPath}.html and .txt to ${first.title}`
      : `upload the files of ${all.length} messages`;
  await confirm(session, `${what} on each save`);
}

/** Returns the content if there are no errors. */
async function check(work: WatchContext, each: WatchedMessage): Promise<readonly MessagePartsToPush[]> {
  const { session, linter, ignored } = work;
  const read = await readMessagePartsToPush(session, each.base, each.givenPath);
  await render(work, each.base, read.parts.html);
  const own = Object.entries(read.parts).filter(
    ([part, text]) => text !== '' || !each.absentParts.includes(part),
  );
  const content = { ...each.otherAttributes, ...Object.fromEntries(own) };
  const findings = linter.lint(content, each.origin).filter(({ rule }) => !ignored.has(rule));
  each.exit = lintExitCode(findings, false);
  await printLintFindings(session, { findings, summary: linter.summarise(content) });
  return each.exit === EXIT.done ? [read] : [];
}

/** A page that can't be written does not end the watch. */
async function render({ session, preview }: WatchContext, base: string, html: string): Promise<void> {
  if (session.globals.dryRun) return;
  await preview.render(base, html).catch((error: unknown) => {
    if (!(error instanceof FileError)) throw error;
    return session.report(error);
  });
}

async function onSaved(work: WatchContext, each: WatchedMessage): Promise<void> {
  const { session, push } = work;
  const { clock, machineZone } = session.context;
  const time = formatTime(clock.now() / 1000, machineZone, 'clock');
  await session.info(['', `${time}  ${each.givenPath}.html and .txt`]);
  try {
    const clean = await check(work, each);
    if (!push) return;
    await printNotUploaded(session, [each]);
    if (clean.length > 0) each.exit = await upload(session, clean);
  } catch (error) {
    await printUnreadableFileError(session, error);
  }
}

async function printNotUploaded(session: Notes, all: readonly WatchedMessage[]): Promise<void> {
  for (const { givenPath, exit } of all)
    if (exit !== EXIT.done) await session.info(`${givenPath}.html and .txt have errors. Not uploaded.`);
}

/** No person confirms later uploads, so they do nothing that needs a confirmation. */
const UNATTENDED: MessagePushOptions = { overwrite: false, createsVersions: false };

/** Reports an error after which a later upload may succeed. @throws all other errors */
async function upload(session: Ports, read: readonly MessagePartsToPush[]): Promise<ExitCode> {
  try {
    await pushMessageParts(session, read, UNATTENDED);
    return EXIT.done;
  } catch (error) {
    const { exit } = explainError(error);
    const isOutage = error instanceof ClientError && error.kind === 'failed';
    if (session.context.signal.aborted || !(isOutage || CONTINUE_AFTER.includes(exit))) throw error;
    await session.report(error);
    return exit;
  }
}

/** Without 3 (access denied), which locks a user after three, and 10 (unknown outcome), which a person checks. */
const CONTINUE_AFTER: readonly ExitCode[] = [
  ...[EXIT.usage, EXIT.notFound, EXIT.conflict, EXIT.invalid, EXIT.unreachable, EXIT.throttled],
];
