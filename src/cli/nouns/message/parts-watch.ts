/** Implements `email pull --watch` and `email push --watch`: checks, previews and sends the files whenever they are saved. */
import { ClientError } from '../../../client/errors.ts';
import { titleOf } from '../../../client/record-title.ts';
import { FileError } from '../../../files/errors.ts';
import type { Content, Origin } from '../../../lint/origin.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { emailMessage } from '../../../resources/email-message.ts';
import { integerOf } from '../../../schema/integer.ts';
import { formatTime } from '../../../text/timezone.ts';
import type { Input, Outcome } from '../../command/command.ts';
import { EXIT, type ExitCode } from '../../errors/exit-codes.ts';
import { explainError } from '../../errors/explain-error.ts';
import { confirm, requireConfirmable } from '../../request/guards.ts';
import { recordWithId } from '../../request/references.ts';
import type { Invocation, Notes, Session } from '../../session/session.ts';
import { EMAIL_LINT } from './email-lint.ts';
import { checkIgnored, type Linter, otherCheckedAttributes } from './lint.ts';
import { ignoreFlag, lintExit } from './lint-flags.ts';
import { printForPeople } from './lint-output.ts';
import { sayUnreadable } from './lint-watch.ts';
import { openFlag } from './parts-watch-flags.ts';
import { createLivePreview, type LivePreview } from './preview-live.ts';
import { partFiles } from './pulled-files.ts';
import { assertOwned, type PushOptions, pushRead, type ReadParts, readPushed } from './push-all.ts';
import { requireTextFormat, watchFiles } from './watch-files.ts';

/** Parts that every check of a message needs. */
interface Work {
  readonly session: Session;
  readonly linter: Linter;
  readonly ignored: ReadonlySet<string>;
  readonly preview: LivePreview;
}

/** Message whose files are watched, with its path and the state of its last check. */
interface Watched {
  /** Absolute path without the file extension. `shown` is the path as given. */
  readonly base: string;
  readonly shown: string;
  readonly title: string;
  /** Attributes that are checked besides the files, as the service had them at the start. */
  readonly known: readonly (readonly [string, unknown])[];
  /** Parts that the message never had. Their absence is not reported. */
  readonly without: readonly string[];
  readonly origin: Origin;
  /** Exit code of the last check, or of sending. */
  exit: ExitCode;
}

/** Paths as given, by absolute path. */
type Bases = ReadonlyMap<string, string>;

/**
 * Refuses files that cannot be watched, before any request or write.
 * @param push sends files without errors too: at first like `email push`, later without new versions and without overwriting changes on the
 * service
 * @returns a function that watches until Ctrl-C and returns the exit code of the last check
 */
export async function prepareWatch(
  session: Session,
  input: Input,
  push?: PushOptions,
): Promise<(bases: Bases) => Promise<Outcome>> {
  await requireTextFormat(session);
  if (push) requireConfirmable(session, 'upload files on each save');
  const linter = await EMAIL_LINT.load();
  checkIgnored(linter.rules, input);
  const preview = createLivePreview(session, input.get(openFlag));
  const work = { session, linter, ignored: new Set(input.get(ignoreFlag)), preview };
  return async (bases) => {
    try {
      return await watch(work, bases, push);
    } finally {
      preview.end();
    }
  };
}

async function watch(work: Work, bases: Bases, push: PushOptions | undefined): Promise<Outcome> {
  const { session } = work;
  const all: Watched[] = [];
  for (const [base, shown] of bases) all.push(await watched(session, base, shown, push));
  if (push) await confirmSending(session, all);
  const untilEnd = watchFiles(
    session,
    all.map((each) => ({ paths: partFiles(each.base), onSaved: () => onSaved(work, each, push) })),
  );
  const clean: ReadParts[] = [];
  for (const each of all) clean.push(...(await check(work, each)));
  if (push) {
    await sayUnsent(session, all);
    await pushRead(session, clean, push);
  }
  session.beforeChange('watch the files');
  for (const { shown } of all) await session.info(`Watching ${shown}.html and .txt.`);
  await session.info(`${push ? 'Uploads each save that has no errors. ' : ''}Ctrl-C ends.`);
  await untilEnd();
  return { result: { kind: 'nothing' }, exit: all.find(({ exit }) => exit !== EXIT.done)?.exit ?? EXIT.done };
}

async function watched(
  session: Session,
  base: string,
  shown: string,
  push: PushOptions | undefined,
): Promise<Watched> {
  const { sidecar } = await readPushed(session, base, shown);
  const record = await recordWithId(session, emailMessage, integerOf(sidecar.id));
  if (push) assertOwned(record);
  const [more, { naming }] = await Promise.all([EMAIL_LINT.askMore(session, record), session.resolved()]);
  const parts = { html: '', text: '' };
  const known = otherCheckedAttributes(EMAIL_LINT, record, parts);
  return {
    ...{ base, shown, known, title: titleOf(emailMessage, record), exit: EXIT.done },
    without: Object.keys(parts).filter((part) => isEmpty(record, part)),
    origin: {
      files: { html: `${shown}.html`, text: `${shown}.txt` },
      stored: new Set(known.map(([name]) => name)),
      words: naming,
      ...more,
    },
  };
}

const isEmpty = (record: JsonObject, part: string): boolean => (record[part] ?? '') === '';

async function confirmSending(session: Invocation, all: readonly Watched[]): Promise<void> {
  const [first, ...others] = all;
  if (first === undefined) return;
  const what =
    others.length === 0
      ? `upload ${first.shown}.html and .txt to ${first.title}`
      : `upload the files of ${all.length} messages`;
  await confirm(session, `${what} on each save`);
}

/** Checks the message's files, and returns their content if there are no errors. */
async function check(work: Work, each: Watched): Promise<readonly ReadParts[]> {
  const { session, linter, ignored } = work;
  const read = await readPushed(session, each.base, each.shown);
  await render(work, each, read.parts.html);
  const content = contentOf(each, read);
  const findings = linter.lint(content, each.origin).filter(({ rule }) => !ignored.has(rule));
  each.exit = lintExit(findings, false);
  await printForPeople(session, { findings, summary: linter.summarise(content) });
  return each.exit === EXIT.done ? [read] : [];
}

function contentOf({ known, without }: Watched, { parts }: ReadParts): Content {
  const own = Object.entries(parts).filter(([part, text]) => text !== '' || !without.includes(part));
  return Object.fromEntries([...known, ...own]);
}

/** Writes the preview. A page that can't be written does not end the watch. */
async function render({ session, preview }: Work, { base }: Watched, html: string): Promise<void> {
  if (session.globals.dryRun) return;
  await preview.render(base, html).catch((error: unknown) => {
    if (!(error instanceof FileError)) throw error;
    return session.report(error);
  });
}

async function onSaved(work: Work, each: Watched, push: PushOptions | undefined): Promise<void> {
  const { session } = work;
  const { clock, machineZone } = session.context;
  const time = formatTime(clock.now() / 1000, machineZone, 'clock');
  await session.info(`\n${time}  ${each.shown}.html and .txt`);
  try {
    const clean = await check(work, each);
    if (!push) return;
    await sayUnsent(session, [each]);
    if (clean.length > 0) each.exit = await send(session, clean);
  } catch (error) {
    await sayUnreadable(session, error);
  }
}

async function sayUnsent(session: Notes, all: readonly Watched[]): Promise<void> {
  for (const { shown, exit } of all)
    if (exit !== EXIT.done) await session.info(`${shown}.html and .txt have errors. Not uploaded.`);
}

/** Options after the start. There are no more confirmations, so nothing is done that needs one. */
const LATER: PushOptions = { overwrite: false, versions: false };

/** Sends the files. Reports an error if the next save may succeed. */
async function send(session: Session, read: readonly ReadParts[]): Promise<ExitCode> {
  try {
    await pushRead(session, read, LATER);
    return EXIT.done;
  } catch (error) {
    const { exit } = explainError(error);
    const isOutage = error instanceof ClientError && error.kind === 'failed';
    if (session.context.signal.aborted || !(isOutage || GOES_ON.includes(exit))) throw error;
    await session.report(error);
    return exit;
  }
}

/**
 * Exit codes after which the watch continues. Not 3, because three of these in a row lock a user. Not 10, because a person has to check.
 */
const GOES_ON: readonly ExitCode[] = [
  ...[EXIT.usage, EXIT.notFound, EXIT.conflict, EXIT.invalid, EXIT.unreachable, EXIT.throttled],
];
