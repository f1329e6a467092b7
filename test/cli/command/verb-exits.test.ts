/** Compares the exit codes and sections in help with the behavior of each command, the contract and the interface. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandsOf } from '../../../.config/commands.ts';
import { isGroup, type Verb } from '../../../src/cli/command/command.ts';
import { formatApiDocSectionTitles, listVerbExitCodes } from '../../../src/cli/command/verb-exits.ts';
import { topLevelCommandEntries } from '../../../src/cli/registry/entries.ts';
import { TransportError } from '../../../src/client/requests/errors.ts';
import type { Transport, WireRequest } from '../../../src/service/protocol/wire.ts';
import { depth } from '../../support/depth.ts';
import { type Examples, nounVerbs, openExamples } from '../../support/examples.ts';
import { errorText } from '../../support/stub-service.ts';

/** Contract, "Output": the table of exit codes, transcribed. */
const CONTRACT = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 130];

/** Headings of the interface, transcribed, with those of its tables of fields and endpoints. */
const HEADINGS = [
  ...['Resources and their fields', 'States and transitions', 'Endpoints', 'Authentication', 'Events'],
  ...['account', 'accountFeatures', 'user', 'sms', 'smsMessage', 'emailMessage', 'emailMessageLink', 'task'],
  ...['folder', 'doNotContact', 'form', 'subscriberProfileData', 'smsDestination', 'Automation rules'],
  'smsAutomation',
];

const verbs = (await commandsOf(topLevelCommandEntries)).flatMap(({ path, tree }) =>
  isGroup(tree) ? [] : [{ path, words: path.split(' '), verb: tree }],
);

describe('every verb', () => {
  it.each(verbs)('$path names exit codes of the contract, in order', ({ verb }) => {
    const codes = listVerbExitCodes(verb).map(({ code }) => code);
    expect(CONTRACT).toEqual(expect.arrayContaining(codes));
    expect(codes).toEqual([...new Set(codes)].sort((a, b) => a - b));
    expect(codes).toEqual(expect.arrayContaining([0, 2]));
  });

  it('name sections of the interface that exist', () => {
    const named = verbs.flatMap(
      ({ words, verb }) =>
        formatApiDocSectionTitles(verb, words[0] ?? '')
          ?.replace(/ \(.*\)$/, '')
          .split(', ') ?? [],
    );
    expect(named.filter((name) => !HEADINGS.includes(name))).toEqual([]);
    const without = verbs
      .filter(({ words, verb }) => formatApiDocSectionTitles(verb, words[0] ?? '') === undefined)
      .map(({ words }) => words[0]);
    // These commands work on this machine alone, or with a part that the interface does not describe.
    expect([...new Set(without)].sort()).toEqual(
      ['agent', 'company', 'completion', 'demo', 'log', 'profile', 'sandbox'].sort(),
    );
  });

  // Contract, "Partners and many companies": a company that fails is exit 8.
  it('include 8 if the verb takes --companies', () => {
    const many = verbs.filter(({ verb }) => verb.companies !== undefined);
    expect(many.length).toBeGreaterThan(40);
    for (const { path, verb } of many)
      expect([path, listVerbExitCodes(verb).map(({ code }) => code)]).toEqual([
        path,
        expect.arrayContaining([8]),
      ]);
  });
});

/** Refusals of the service: statuses by their exit code, by the contract's table. */
const ANSWERS = [
  [3, [401, 403]],
  [9, [429]],
] as const;
const CONFLICTS = [5, [409, 423]] as const;
const REFUSED_WRITES = [
  [4, [404]],
  [6, [400, 413, 415]],
] as const;
/** How many statuses of an exit code each verb gets. Neighbouring verbs get other ones. */
const STATUSES = depth('SVC_REFUSALS', { few: 1, full: 3 });
/** Codes that need more than the example: a stored message, an exceeded limit, or another feature. */
const BEYOND_EXAMPLE: Readonly<Record<string, readonly number[]>> = {
  'sms-message lint': [3, 7, 9],
  'email lint': [3, 7, 9],
  'email pull': [5],
  'features apply': [5, 6],
  'task guard': [5, 6],
};
/** A refused row counts as failed, or the entry existed before. */
const BULK = ['dnc import'];
const LOST = new TransportError('unknown', 'the connection was cut');
const NOT_SENT = new TransportError('not-sent', 'nobody listens');

describe('a verb of a noun exits only with codes that its help names', () => {
  let examples: Examples;
  beforeAll(async () => {
    examples = await openExamples('verb-exits');
    const made = nounVerbs.filter(({ path }) => ['task create', 'sms send'].includes(path));
    for (const { verb } of made) expect(await examples.run(verb.example, [])).toMatchObject({ exitCode: 0 });
  });
  afterAll(() => rm(examples.cwd, { recursive: true }));

  const isWrite = ({ method }: WireRequest): boolean => method !== 'GET' && method !== 'HEAD';
  /** A POST names no record, so none can be missing. */
  const isPost = ({ method }: WireRequest): boolean => method === 'POST';
  const answering =
    (status: number): Transport =>
    async () => ({
      status,
      headers: { 'content-type': 'application/json' },
      body: errorText(status, 'no'),
    });
  const failing =
    (error: Error): Transport =>
    () =>
      Promise.reject(error);

  /** Returns the exit code, and whether a request was spoilt on the way. */
  async function endOf(verb: Verb, spoil: Transport, which: (request: WireRequest) => boolean) {
    let isSpoilt = false;
    const { exitCode } = await examples.run(verb.example, ['--yes', '--retries', '0'], {
      // The journal of a lost response must not affect the next run. `task undo` needs the journal of an earlier
      // creation.
      env: verb.name === 'undo' ? {} : { SVC_STATE_DIR: undefined },
      transport: (request) => {
        if (!which(request))
          return isWrite(request) ? failing(NOT_SENT)(request) : examples.demo.transport(request);
        isSpoilt = true;
        return spoil(request);
      },
    });
    return { exitCode, isSpoilt };
  }

  const tested = nounVerbs.filter(({ path }) => !path.startsWith('form '));

  it.each(tested)('$path', async ({ path, verb }) => {
    const declared = listVerbExitCodes(verb).map(({ code }) => code as number);
    const seen: number[] = [];
    const note = async (expected: number, spoil: Transport, which: (request: WireRequest) => boolean) => {
      const { exitCode, isSpoilt } = await endOf(verb, spoil, which);
      if (!isSpoilt) return false;
      seen.push(exitCode);
      const others = [
        ...declared.filter((code) => [8, 10].includes(code)),
        ...(BULK.includes(path) ? [0] : []),
      ];
      expect([expected, ...others]).toContain(exitCode);
      return true;
    };
    const number = tested.findIndex((each) => each.path === path);
    const someOf = (statuses: readonly number[]): readonly number[] =>
      statuses.filter((_, at) => (at + number) % statuses.length < STATUSES);
    const noteRefusedWrites = async (exit: number, statuses: readonly number[]): Promise<boolean> => {
      let isAnySpoilt = false;
      for (const status of someOf(statuses)) {
        const isRefused = (request: WireRequest) => isWrite(request) && !(status === 404 && isPost(request));
        if (await note(exit, answering(status), isRefused)) isAnySpoilt = true;
      }
      return isAnySpoilt;
    };
    for (const [exit, statuses] of ANSWERS)
      for (const status of someOf(statuses)) await note(exit, answering(status), () => true);
    await note(7, failing(NOT_SENT), () => true);
    // If the verb sends no write now, the other refusals have nothing to spoil.
    if (await noteRefusedWrites(...CONFLICTS)) {
      for (const [exit, statuses] of REFUSED_WRITES) await noteRefusedWrites(exit, statuses);
      await note(10, failing(LOST), isWrite);
    }
    expect(declared).toEqual(expect.arrayContaining([...new Set(seen)].filter((code) => code !== 0)));
    // Every declared code that a request can cause occurred.
    const byRequests = [3, 5, 6, 7, 9].filter((code) => declared.includes(code));
    const beyond = BEYOND_EXAMPLE[path] ?? [];
    expect(byRequests.filter((code) => !seen.includes(code) && !beyond.includes(code))).toEqual([]);
  });
});
