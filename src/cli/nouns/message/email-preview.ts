import { resolve } from 'node:path';
import { emailMessage } from '../../../resources/email-message.ts';
import type { Verb } from '../../command/command.ts';
import { choiceFlag, fileFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { columnsOf } from '../../output/columns.ts';
import { recordOf } from '../../request/references.ts';
import type { Session } from '../../session/session.ts';
import { idPositional } from '../generic/get.ts';

const HEADERS = ['id', 'name', 'subject', 'fromname', 'fromemail', 'replyemail', 'text', 'html'];

const partFlag = choiceFlag('part', ['html', 'text', 'subject'], { describe: 'Only this part' });
const outFlag = fileFlag('out', { describe: 'Write to a new file (default part: html)' });

export const emailPreview: Verb = {
  name: 'preview',
  summary: 'Print an e-mail message, or a part of it to a file',
  example: 'email preview 1 --part html --out sale.html',
  positionals: [idPositional(emailMessage)],
  flags: [partFlag, outFlag],
  companies: 'reads',
  run: async (session, input) => {
    const out = input.get(outFlag);
    const part = input.get(partFlag) ?? (out === undefined ? undefined : 'html');
    const record = await recordOf(session, emailMessage, input.positionals[0] ?? '');
    if (part === undefined) {
      const value = Object.fromEntries(HEADERS.map((name) => [name, record[name] ?? null]));
      return { result: { kind: 'object', value, ...columnsOf(emailMessage) } };
    }
    const body = String(record[part] ?? '');
    if (out === undefined) return { result: { kind: 'raw', body: body.endsWith('\n') ? body : `${body}\n` } };
    await writeNew(session, out, body);
    return { result: { kind: 'nothing' } };
  },
};

/** Never over a file that is there, and never through a link. */
async function writeNew(session: Session, name: string, text: string): Promise<void> {
  session.beforeChange(`write ${name}`);
  const path = resolve(session.context.cwd, name);
  const { open } = await import('node:fs/promises');
  const file = await open(path, 'wx', 0o644).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'EEXIST' ? 'it is there already' : (cause.code ?? cause.message);
    throw new UsageError(`cannot write ${name}: ${why}`, { cause });
  });
  try {
    await file.writeFile(text, 'utf8');
  } finally {
    await file.close();
  }
  await session.info(`wrote ${name}`);
}
