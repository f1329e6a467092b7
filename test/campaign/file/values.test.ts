/** Contract, "Values": names with a text, a number or a list, which `${{ name }}` uses, and which `--values` and `--set` replace. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCampaign } from '../../../src/features/campaign/file/read.ts';
import {
  findUnusedValues,
  readValuesFile,
  valuesOfCompany,
} from '../../../src/features/campaign/file/values.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { TEXT, taskOf, variable } from './samples.ts';

const CONTENT = `Hello\n\${{ shop }}\n`;
const read = (yaml: string, set: readonly (readonly [string, string])[] = []) =>
  readCampaign(
    { path: 'a.yaml', octets: Buffer.from(yaml) },
    { env: {}, set: new Map(set), readContent: async () => ({ octets: Buffer.from(CONTENT) }) },
  );
const faults = async (yaml: string, set: readonly (readonly [string, string])[] = []) => {
  const found = await read(yaml, set);
  return 'faults' in found
    ? found.faults.map(({ line, column, message }) => `${line}:${column} ${message}`)
    : [];
};
const TASK = taskOf(
  `    name: ${variable('title')}\n    message: 12\n    list: ${variable('list')}\n    at: +2d\n    rate: ${variable('rate')}\n`,
);
const task = async (values: string, set: readonly (readonly [string, string])[] = []) => {
  const found = await read(`${TASK}${values}`, set);
  return 'faults' in found ? found.faults : found.campaign.items[0];
};

describe('values of a campaign file', () => {
  it('are a text, a number or a list of them, wherever the section stands', async () => {
    expect(await task('values:\n  title: [Sale, "in", 2027]\n  list: 7\n  rate: "500"\n')).toMatchObject({
      ...{ name: 'Sale, in, 2027', list: '7', rate: 500 },
    });
  });

  it('give way to --set, also without the section', async () => {
    const values = 'values: {title: Sale, list: 7, rate: 500}\n';
    expect(await task(values, [['list', '8']])).toMatchObject({ name: 'Sale', list: '8' });
    const set = [
      ['title', 'A'],
      ['list', '9'],
      ['rate', '100'],
    ] as const;
    expect(await task('', set)).toMatchObject({ name: 'A', list: '9', rate: 100 });
  });

  it('keep the digits of a number, and are never read as YAML or variables', async () => {
    const values = `values:\n  title: "a\\nlist: 5 $\${{ list }}"\n  list: 007\n  rate: 500\n`;
    expect(await task(values)).toMatchObject({ name: `a\nlist: 5 ${variable('list')}`, list: '7' });
  });

  it('cannot add a mark', async () => {
    expect(
      await faults(TASK, [
        ['title', 'A [svc-9aw0rm-zp1lp-zjpeqd6]'],
        ['list', '7'],
        ['rate', '500'],
      ]),
    ).toEqual([expect.stringMatching(/^5:11 task t: name ends with a mark/)]);
  });

  it('name every wrong use in its place, at once', async () => {
    expect(await faults(`${TASK}values: {titel: Sale, list: newsletter, rate: fast}\n`)).toEqual([
      '5:11 the variable title has no value; did you mean titel?',
      expect.stringContaining('7:11 task t: list must be the id of a list, not "newsletter"'),
      expect.stringMatching(/^9:11 task t: rate .*not "fast"$/),
    ]);
  });

  it.each([
    ['values: 7', '10:9 values must map names to values'],
    ['values: {a: true}', '10:13 a must be a text, a number or a list of them; put true in quotes'],
    ['values: {a: }', '10:13 a must be a text'],
    ['values: {a: {b: 1}}', '10:13 a must be a text'],
    ['values: {a: []}', '10:13 a must be a text'],
    ['values: {a: [[1]]}', '10:14 a must be a text'],
    ['values: {a b: 1}', '10:10 values: "a b" cannot be the name'],
    ['values: {companies: 1}', '10:10 values: "companies" cannot be the name'],
    [`values: {a: "x \${{ b }}"}`, '10:16 a value cannot use a variable'],
  ])('refuse %s', async (line, fault) => {
    const set = [
      ['title', 'A'],
      ['list', '9'],
      ['rate', '100'],
    ] as const;
    expect(await faults(`${TASK}${line}\n`, set)).toEqual([expect.stringContaining(fault)]);
  });

  it('are not replaced in content files: a use there is a fault, because recipients would see it', async () => {
    const yaml = `version: 1\ncampaign: Sale\nmessages:\n  m:\n${TEXT}`;
    expect(await faults(yaml)).toEqual([]);
    expect(await faults(`${yaml}values: {shop: Oslo}\n`)).toEqual([
      expect.stringMatching(/^8:14 message m: message: c\/sms.txt has \$\{\{ shop \}\} in line 2, /),
    ]);
  });
});

describe('a file of --values', () => {
  const parse = async (text: string) => {
    const cwd = await makeTemporaryFolder('values');
    await writeFile(join(cwd, 'v.yaml'), text);
    return readValuesFile('v.yaml', { cwd, limits: { ownFolders: [], secrets: ['sesame'] } });
  };
  const parsed = async (text: string) => {
    const file = await parse(text);
    if ('faults' in file) throw new Error(JSON.stringify(file.faults));
    return file;
  };

  it('has values for all companies, and a section for each', async () => {
    const file = await parsed('title: Sale\nlist: 7\ncompanies:\n  12: {list: 9}\n  "13":\n');
    const texts = (company?: string) =>
      Object.fromEntries([...valuesOfCompany(file, company)].map(([name, { text }]) => [name, text]));
    expect([texts(), texts('12'), texts('13'), texts('14')]).toEqual([
      { title: 'Sale', list: '7' },
      { title: 'Sale', list: '9' },
      { title: 'Sale', list: '7' },
      { title: 'Sale', list: '7' },
    ]);
  });

  it('names values that no campaign uses, also for other companies', async () => {
    const file = await parsed('titel: Sale\ncompanies:\n  12: {lst: 9, list: 7}\n');
    expect(findUnusedValues(file, new Set(['title', 'list']))).toEqual([
      {
        file: 'v.yaml',
        line: 1,
        column: 1,
        message: `the campaign file does not use \${{ titel }}; did you mean title?`,
      },
      {
        file: 'v.yaml',
        line: 3,
        column: 8,
        message: `the campaign file does not use \${{ lst }}; did you mean list?`,
      },
    ]);
  });

  it.each([
    ['', '1:1 a values file must map names to values'],
    ['- a\n', '1:1 a values file must map names to values'],
    ['a: sesame\n', '1:1 the file holds an API key or a token of svc'],
    ['companies: [12]\n', '1:12 companies must map each company to values'],
    ['companies:\n  Oslo: {a: 1}\n', '2:3 companies: "Oslo" is not the id of a company'],
    ['companies:\n  12: {a: 1}\n  012: {a: 1}\n', '3:3 companies: '],
    [
      'company:\n  12: {a: 1}\n',
      '1:1 company must be a text, a number or a list of them; sections are companies: {12:',
    ],
    ['companies:\n  12: 7\n', '2:7 company 12 must map names to values'],
    ['7: a\n', '1:1 the values file: "7" cannot be the name of a value'],
  ])('refuses %j', async (text, fault) => {
    const file = await parse(text);
    expect(
      'faults' in file && file.faults.map(({ line, column, message }) => `${line}:${column} ${message}`),
    ).toEqual([expect.stringContaining(fault)]);
  });
});
