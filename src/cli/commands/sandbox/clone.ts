/** Declares `svc sandbox clone`, which copies the account of a profile into a new sandbox (contract, "Rehearse"). */

import { resolve } from 'node:path';
import type { AccountReadResult } from '../../../features/rehearse/read-account.ts';
import type { ReportSection } from '../../../kit/report/report.ts';
import { formatTextPageLines } from '../../../kit/report/text-page.ts';
import type { Verb } from '../../command/command.ts';
import { textFlag, writtenFileFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { explainSandboxStartError } from '../../errors/start-errors.ts';
import { createItemResult } from '../../output/result.ts';
import { listSizeFlag, readListSizes } from '../../request/list-sizes.ts';
import { checkNewFile, writeNewFile } from '../../request/new-file.ts';
import type { Invocation, Ports } from '../../session/ports.ts';
import { openSession } from '../../session/session.ts';
import { sayWithIds } from '../rehearse/sentences.ts';
import { dataFlag, defaultSandboxFolder } from './connection.ts';

const fromFlag = {
  ...textFlag('from', { describe: 'Profile of the account to copy', value: 'profile', required: true }),
  completes: 'profile' as const,
};

const toFlag = writtenFileFlag('to', {
  writes: 'file',
  describe: 'Write a snapshot file instead of a sandbox',
});

export const sandboxClone: Verb = {
  name: 'clone',
  summary: 'Copy your account into a sandbox, without personal data',
  about:
    'Reads the account with GET requests and changes nothing in it. Records keep their ids. ' +
    'svc invents the subscribers, the users and the addresses to which rules send notifications. ' +
    'Run the command again to resume an interrupted clone. With --to, it writes one file for svc test',
  work: 'reads',
  does: 'local',
  exits: { 5: 'folder in use' },
  section: 'task',
  example: 'sandbox clone --from production --data ./copy',
  flags: [fromFlag, dataFlag, toFlag, listSizeFlag],
  run: async (session, input) => {
    const listSizes = readListSizes(input);
    const profile = input.get(fromFlag);
    const given = input.get(dataFlag);
    const to = input.get(toFlag);
    if (to !== undefined && given !== undefined) throw new UsageError('cannot combine --to with --data');
    const file = to === undefined ? undefined : await checkNewFile(session, to);
    const { cwd } = session.context;
    const folder =
      given === undefined ? `${await defaultSandboxFolder(session)}-${profile}` : resolve(cwd, given);
    if (!file) session.beforeChange(`create a sandbox in ${folder}`);
    const source = openSession(
      session.context,
      { ...session.globals, profile },
      { command: session.command, run: session.run },
    );
    try {
      const read = file
        ? await snapshotTo(source, file, listSizes)
        : await cloneInto(source, folder, listSizes);
      if (!file) await session.info(`To start the new sandbox, run svc sandbox start --data ${folder}`);
      const place = file?.name ?? folder;
      if ((await session.format()) === 'table')
        return { result: { kind: 'text', text: textOf(session, read, place) } };
      const { dataDir, ...counts } = resultOf(place, read);
      return { result: createItemResult(file ? { file: file.name, ...counts } : { dataDir, ...counts }) };
    } catch (error) {
      throw explainSandboxStartError(error);
    } finally {
      await source.close();
    }
  },
};

async function cloneInto(
  session: Ports,
  folder: string,
  listSizes: ReturnType<typeof readListSizes>,
): Promise<AccountReadResult> {
  const [{ readAccountCopy, withKnownZone }, { startOrResumeClone }, { dataDirAt }] = await Promise.all([
    import('../../../features/rehearse/read-account.ts'),
    import('../../../sandbox/data/unfinished-clone.ts'),
    import('../../../sandbox/data/data-dir.ts'),
  ]);
  const { origin, credentials } = await session.resolved();
  const client = await session.client();
  // If the service is unreachable, this request fails before a folder is created.
  const company = await session.account();
  const zone = await session.requiredZone();
  const clone = startOrResumeClone(dataDirAt(folder), {
    origin,
    company: String(company.id),
    user: String(credentials.userId ?? 'admin'),
  });
  try {
    const read = await readAccountCopy(client, {
      listSizes,
      unfinishedCopy: clone,
      onPart: (what) => session.info(`Reading ${what}`),
    });
    await session.info('Creating the sandbox');
    const { random, clock } = session.context;
    await clone.finish(withKnownZone(read.copy, zone), { random, now: () => clock.now() });
    return read;
  } finally {
    clone.close();
  }
}

async function snapshotTo(
  session: Ports,
  file: Parameters<typeof writeNewFile>[1],
  listSizes: ReturnType<typeof readListSizes>,
): Promise<AccountReadResult> {
  const [{ readAccountCopy, withKnownZone }, { formatSnapshot }] = await Promise.all([
    import('../../../features/rehearse/read-account.ts'),
    import('../../../features/rehearse/tests/account.ts'),
  ]);
  const client = await session.client();
  const zone = await session.requiredZone();
  const read = await readAccountCopy(client, {
    listSizes,
    onPart: (what) => session.info(`Reading ${what}`),
  });
  const known = { ...read, copy: withKnownZone(read.copy, zone) };
  await writeNewFile(session, file, formatSnapshot({ ...known, unknown: known.unknown.map(sayWithIds) }));
  return known;
}

function textOf(
  { context: { stdout } }: Invocation,
  { copy, lists, unknown }: AccountReadResult,
  folder: string,
): string {
  const { messages, tasks, rules, folders } = resultOf(folder, { copy, lists, unknown });
  const counts = `${messages} messages, ${tasks} tasks, ${rules} rules and ${folders} folders`;
  const points = (texts: readonly string[]): ReportSection['blocks'] =>
    texts.length === 0 ? [] : [{ kind: 'points', texts }];
  const sections: readonly ReportSection[] = [
    { title: 'Copied', blocks: [{ kind: 'paragraph', text: `${counts}, into ${folder}` }] },
    {
      title: 'Lists',
      blocks: points(lists.map(({ id, size, from }) => `list ${id}: ${size} subscribers (${from})`)),
    },
    { title: 'Not known', blocks: points(unknown.map(sayWithIds)) },
  ];
  const title = `Clone of ${copy.account.name} (company ${copy.account.id})`;
  const page = formatTextPageLines({ title, sections }, stdout.isTTY ? (stdout.columns ?? 80) : 80);
  return `${page.map(({ text }) => text).join('\n')}\n`;
}

const resultOf = (
  dataDir: string,
  { copy, lists, unknown }: Pick<AccountReadResult, 'copy' | 'lists' | 'unknown'>,
) => ({
  dataDir,
  messages: copy.emails.length + copy.smsMessages.length,
  tasks: copy.tasks.length,
  rules: Object.values(copy.rules).flat().length,
  folders: copy.folders.length,
  lists: lists.map(({ id, size, from }) => ({ id, size, from })),
  unknown: unknown.map(sayWithIds),
});
