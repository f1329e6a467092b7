/** Implements `svc init --agents`: writes the guide for assistants into AGENTS.md, between two marker lines. */

import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { readRegularFile } from '../../kit/files/private-file.ts';
import type { Outcome, TopLevelCommandEntry } from '../command/command.ts';
import { UsageError } from '../errors/errors.ts';
import { checkNewFile, writeNewFile } from '../request/new-file.ts';
import type { Changes, Invocation, Tell } from '../session/ports.ts';
import { guideText } from './agent/guide.ts';

const FILE = 'AGENTS.md';
const BEGIN = '<!-- svc agent guide: begin -->';
const END = '<!-- svc agent guide: end -->';
const MAX_OCTETS = 4 * 1024 * 1024;

/**
 * @param force replaces the whole file
 * @throws UsageError if the markers in the file are not one pair; BulkError if something else than a file is in its place
 */
export async function writeAgentsFile(
  session: Invocation & Tell & Changes,
  entries: readonly TopLevelCommandEntry[],
  force: boolean,
): Promise<Outcome> {
  const path = resolve(session.context.cwd, FILE);
  const found = lstatSync(path, { throwIfNoEntry: false });
  const guide = await guideText(entries);
  const isKept = found?.isFile() === true && !force;
  const before = isKept ? readRegularFile(path, FILE, MAX_OCTETS) : Buffer.alloc(0);
  const after = withGuide(before, guide);
  if (isKept && after.equals(before)) {
    await session.info(`${FILE} is up to date.`);
    return { result: { kind: 'nothing' } };
  }
  const file = await checkNewFile(session, FILE, force || isKept);
  await writeNewFile(session, isKept ? { ...file, mode: found.mode & 0o777 } : file, after);
  await session.info(
    isKept
      ? `Wrote the guide into ${FILE}, between the lines "${BEGIN}" and "${END}".`
      : `Wrote ${FILE}. Add your own rules below the guide, and commit the file with your campaigns.`,
  );
  return { result: { kind: 'nothing' } };
}

/**
 * Replaces the lines between the markers, or adds both at the end. All other bytes stay, in whatever encoding they are.
 * @throws UsageError
 */
function withGuide(before: Buffer, guide: string): Buffer {
  // In latin1, each byte is one character.
  const text = before.toString('latin1');
  if (text.includes('\0')) throw new UsageError(`${FILE} is not UTF-8 text; nothing was changed`);
  const lineEnd = /\r?\n/.exec(text)?.[0] ?? '\n';
  const lines = text.split(/(?<=\n)/);
  const marked = (marker: string): readonly number[] =>
    lines.flatMap((line, index) => (line.trim() === marker ? [index] : []));
  const [begins, ends] = [marked(BEGIN), marked(END)];
  const [begin, end] = [begins[0] ?? -1, ends[0] ?? -1];
  const inside = Buffer.from(guide).toString('latin1').replaceAll('\n', lineEnd);
  if (begins.length + ends.length === 0) {
    const gap = text === '' ? '' : text.endsWith('\n') ? lineEnd : lineEnd + lineEnd;
    return Buffer.from(`${text}${gap}${BEGIN}${lineEnd}${inside}${END}${lineEnd}`, 'latin1');
  }
  if (begins.length !== 1 || ends.length !== 1 || begin > end) throw notOnePair(begins, ends);
  const [head, tail] = [lines.slice(0, begin + 1), lines.slice(end)];
  return Buffer.from([...head, inside, ...tail].join(''), 'latin1');
}

function notOnePair(begins: readonly number[], ends: readonly number[]): UsageError {
  const at = [...begins, ...ends].sort((a, b) => a - b).map((index) => index + 1);
  return new UsageError(
    `${FILE} must have one line "${BEGIN}" and one line "${END}" below it; svc found markers in line ${at.join(', ')}; nothing was changed`,
    { hint: 'correct these lines, or delete them: svc then adds the guide at the end' },
  );
}
