/**
 * Records writes in the journal. If recording fails, a write that can be undone is still sent, and a write that can't be undone is
 * rejected.
 */
import { join } from 'node:path';
import { FileError } from '../../kit/files/errors.ts';
import type { AnyRecord, Resource } from '../../kit/schema/resource.ts';
import { formatJson } from '../../service/protocol/json.ts';
import type { Clock, RandomOctets } from '../requests/ports.ts';
import {
  type NotedWrite,
  removeSecretsFromRecords,
  removeSecretsFromWrite,
  type WriteOutcome,
  type WriteRequestSender,
} from './entry.ts';
import { appendJournalLine, JournalError, writeFileInJournalFolder } from './file.ts';
import { resourceOf } from './raw-request.ts';

export interface JournalRecorder {
  /**
   * Resolves once the note is on disk. If the journal can't be written, throws with `refuse`, so that the write is not sent, and otherwise
   * returns undefined.
   */
  readonly begin: (write: NotedWrite, how: { readonly refuse: boolean }) => Promise<number | undefined>;
  /** Never throws, because the write has already happened. */
  readonly end: (write: NotedWrite, outcome: WriteOutcome, n?: number) => Promise<void>;
  /** Called if there are too many records for one line of the journal. Throws if the file can't be written. */
  readonly keep: (
    rows: AsyncIterable<AnyRecord>,
    resource: Resource,
  ) => Promise<{ file: string; records: number }>;
}

interface JournalRecorderOptions {
  /** Undefined if nothing is recorded. */
  readonly folder: string | undefined;
  readonly platform: NodeJS.Platform;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: RandomOctets;
  readonly sender: WriteRequestSender;
  readonly redact: (text: string) => string;
  readonly printLine: (line: string) => Promise<void>;
}

export function createJournalRecorder(options: JournalRecorderOptions): JournalRecorder {
  const { folder, platform, clock, random, sender, redact, printLine } = options;
  let told = false;
  const run = Buffer.from(random(6)).toString('hex');

  async function append(
    state: 'intent' | WriteOutcome['state'],
    write: NotedWrite,
    outcome: Partial<WriteOutcome>,
    n?: number,
  ) {
    if (folder === undefined) throw new JournalError('storage', 'there is no home folder for the journal');
    const time = new Date(clock.now()).toISOString();
    const line = removeSecretsFromWrite(
      { time, run, ...sender, ...write, ...outcome, state },
      redact,
      resourceOf(write.resource),
    );
    return appendJournalLine(line, {
      folder,
      platform,
      sync: state === 'intent',
      ...(n === undefined ? {} : { n }),
    });
  }

  return {
    begin: async (write, { refuse }) => {
      try {
        return await append('intent', write, {});
      } catch (cause) {
        if (refuse) throw notWritable(folder, cause);
        if (!told)
          await printLine(`cannot record this change, so svc undo does not cover it: ${causeText(cause)}`);
        told = true;
        return undefined;
      }
    },
    end: async (write, outcome, n) => {
      try {
        await append(outcome.state, write, outcome, n);
      } catch (cause) {
        if (!told)
          await printLine(
            `cannot write the outcome to the journal, so svc undo does not cover this change: ${causeText(cause)}`,
          );
        told = true;
      }
    },
    keep: async (rows, resource) => {
      const stamp = new Date(clock.now())
        .toISOString()
        .replace(/[^0-9]/g, '')
        .slice(0, 14);
      const file = `deleted-${stamp}-${Buffer.from(random(4)).toString('hex')}.ndjson`;
      let records = 0;
      async function* lines(): AsyncGenerator<string> {
        for await (const row of rows) {
          records += 1;
          yield formatJson(removeSecretsFromRecords(row, redact, resource));
        }
      }
      try {
        if (folder === undefined) throw new Error('there is no home folder for the journal');
        await writeFileInJournalFolder(file, { folder, platform }, lines());
      } catch (cause) {
        throw notWritable(folder, cause);
      }
      return { file: join(folder, file), records };
    },
  };
}

function notWritable(folder: string | undefined, cause: unknown): Error {
  // An error of the service while its records were read is not an error of the journal.
  if (cause instanceof Error && cause.name === 'ClientError') return cause;
  const where = folder === undefined ? '' : ` in ${folder}`;
  return new JournalError(
    'journal',
    `cannot record this deletion in the journal${where}: ${causeText(cause)}; nothing was sent`,
    {
      hints: ['Set SVC_STATE_DIR to another folder, or use --no-journal to continue without the journal.'],
      cause,
    },
  );
}

/** A note on stderr shows no separate hints. */
function causeText(cause: unknown): string {
  if (cause instanceof FileError) return [cause.message, ...cause.hints].join('; ');
  return cause instanceof Error ? cause.message : String(cause);
}
