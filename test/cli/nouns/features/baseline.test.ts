/**
 * Contract, "Partners and many companies": a baseline is one flat YAML mapping, attribute to value. Invalid content is exit 2. All faults
 * are reported at once, each with file, line and column, and nothing is sent.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PartnerProfile, withPartnerProfile } from '../../../support/partner-profile.ts';

let agency: PartnerProfile;

const write = (text: string | Uint8Array) => writeFile(join(agency.folder, 'baseline.yaml'), text);
const VERBS = [
  ['diff', []],
  ['apply', ['--yes']],
] as const;

async function refused(text: string | Uint8Array, verb: string, flags: readonly string[]) {
  await write(text);
  const argv = ['features', verb, 'baseline.yaml', ...flags, '--company', '1'];
  const inWords = await agency.svc(argv);
  const run = await agency.svc([...argv, '-o', 'json']);
  expect([run.exitCode, inWords.exitCode, run.stdout, inWords.stdout]).toEqual([2, 2, '', '']);
  expect(agency.sent).toEqual([]);
  return { words: inWords.stderr, error: JSON.parse(run.stderr).error };
}

describe.each(VERBS)('features %s', (verb, flags) => {
  // No test here sends anything.
  beforeAll(async () => {
    agency = await withPartnerProfile();
  });
  afterAll(() => agency.remove());

  it.each([
    ['an unknown attribute', 'list_limit: 1\nlist_limits: 2\n', 2, 1, 'list_limits', 'is not an attribute'],
    ['a misspelt attribute', 'listlimit: 1\n', 1, 1, 'listlimit', 'is not an attribute of accountFeatures'],
    ['a read-only attribute', 'cdate: 5\n', 1, 1, 'cdate', 'is read-only'],
    ['the id', '# all\nid: 1\n', 2, 1, 'id', 'is read-only'],
    ['a nested mapping', 'list_limit:\n  a: 1\n', 1, 1, 'list_limit', 'is nested'],
    ['a sequence as a value', 'list_limit: [1]\n', 1, 1, 'list_limit', 'is nested'],
    ['an alias', 'list_limit: &a 3\nuser_limit: *a\n', 2, 1, 'user_limit', 'is a YAML alias'],
    ['no value, which YAML reads as null', 'subscriber_limit:\n', 1, 1, 'subscriber_limit', 'has no value'],
    ['a value of another kind', 'enablesms: yes\n', 1, 1, 'enablesms', 'true or false'],
    ['a limit below its minimum', 'subscriber_limit: 0\n', 1, 1, 'subscriber_limit', 'must be 1 or more'],
    ['null for an attribute that is never null', 'list_limit: null\n', 1, 1, 'list_limit', ''],
    ['an unknown zone', 'timezone: Mars/Base\n', 1, 1, 'timezone', ''],
    ['one attribute twice', 'list_limit: 1\nlist_limit: 2\n', 2, 1, 'list_limit', 'occurs twice'],
    ['a key that is not a text', '7: 1\n', 1, 1, 'baseline', 'has a key that is not an attribute'],
    ['a text that is not YAML', 'list_limit: 1\nuser_limit: ]\n', 2, 1, 'baseline', 'is not YAML'],
    ['two documents', 'list_limit: 1\n---\nlist_limit: 2\n', 2, 1, 'baseline', 'is not YAML'],
    ['an unknown tag', 'list_limit: !secret 1\n', 1, 13, 'baseline', 'is not YAML'],
    ['nothing', '', 1, 1, 'baseline', 'has no attributes'],
    ['an empty mapping', '{}\n', 1, 1, 'baseline', 'has no attributes'],
    ['a sequence', '- list_limit\n', 1, 1, 'baseline', 'is not a mapping'],
    ['a word', 'list_limit\n', 1, 1, 'baseline', 'is not a mapping'],
  ])('%s', async (_, text, line, column, attribute, reason) => {
    const { words, error } = await refused(text, verb, flags);
    expect(error.details).toHaveLength(1);
    expect(error.details[0]).toMatchObject({
      attribute,
      file: 'baseline.yaml',
      reason: expect.stringContaining(reason),
    });
    expect(
      [error.details[0].line, error.details[0].column].slice(0, reason === 'is not YAML' ? 1 : 2),
    ).toEqual([line, column].slice(0, reason === 'is not YAML' ? 1 : 2));
    expect(words).toContain(`baseline.yaml:${line}:`);
  });

  it.each([
    ['enablecustommaildomain', 'custommaildomaintype', 'domain'],
    ['enablecustommaildomain', 'maildomainprimary', 'news.example.com'],
    ['enablesendbulkemail', 'enablesplittest', 'true'],
    ['enablesubscriberprofilefields', 'subscriberprofilefield_limit', '20'],
    ['enablesms', 'enablesubscriptionmo', 'true'],
  ])(
    'rejects %s off with %s, a combination that the interface forbids, and names both attributes',
    async (off, on, value) => {
      const { words, error } = await refused(`${off}: false\n${on}: ${value}\n`, verb, flags);
      expect(error.details).toMatchObject([{ attribute: on, line: 2, column: 1 }]);
      expect(words).toContain(`baseline.yaml:2:1: ${on} can be set only if ${off} is true`);
    },
  );

  it('reports all faults together, in the order of the file', async () => {
    const text =
      'mdate: 1\nlist_limit: many\nfoo: 1\nuser_limit:\nenablesms: false\nenablesubscriptionmo: true\nlocked: [true]\n';
    const { words, error } = await refused(text, verb, flags);
    expect(error.details.map(({ line }: { line: number }) => line)).toEqual([1, 2, 3, 4, 6, 7]);
    expect(words.split('\n')[0]).toBe('svc: 6 problems; nothing was sent');
  });

  it('rejects a missing file, and a file that is not text', async () => {
    const of = (file: string) => ['features', verb, file, ...flags, '--company', '1'];
    const gone = await agency.svc(of('nofile.yaml'));
    expect([gone.exitCode, gone.stdout]).toEqual([2, '']);
    expect(gone.stderr).toContain('nofile.yaml');
    await write(new Uint8Array([0xff, 0xfe, 0x00]));
    const binary = await agency.svc(of('baseline.yaml'));
    expect([binary.exitCode, binary.stderr]).toEqual([2, expect.stringContaining('is not UTF-8 text')]);
    expect(agency.sent).toEqual([]);
  });

  it('over many companies reads it once, and reports a fault once', async () => {
    await write('foo: 1\n');
    const many = ['--companies', '1,2', '--yes', ...(verb === 'apply' ? ['--write'] : [])];
    const run = await agency.svc(['features', verb, 'baseline.yaml', ...many]);
    expect([run.exitCode, run.stdout, agency.sent]).toEqual([2, '', []]);
    expect(run.stderr.match(/baseline\.yaml:1:1/g)).toHaveLength(1);
  });
});

it('accepts a byte order mark, comments, quotes and numbers of any size', async () => {
  agency = await withPartnerProfile();
  await write('\ufeff# ours\n"list_limit": 200 # as ever\nuser_limit: 9007199254740993\n');
  const run = await agency.done(['features', 'diff', 'baseline.yaml', '--company', '1', '-o', 'json']);
  expect(run.stdout).toContain('"wanted": 9007199254740993');
  expect(run.stdout).not.toContain('list_limit');
  await agency.remove();
});
