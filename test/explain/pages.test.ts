/** All pages of svc explain: of each noun, each kind of rule, and each of their fields. */

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isGroup, type TopLevelCommandEntry, type Verb } from '../../src/cli/command/command.ts';
import { topLevelCommandEntries } from '../../src/cli/registry/entries.ts';
import {
  EXPLAIN_TOPIC_FIRST_WORDS,
  formatExplainTopicName,
  parseExplainTopic,
} from '../../src/features/explain/find.ts';
import { topicPage } from '../../src/features/explain/topic-page.ts';
import { formatTextPageLines } from '../../src/kit/report/text-page.ts';
import { displayWidth } from '../../src/kit/text/display-width.ts';
import { explanations } from '../../src/service/explanations/all.ts';
import { catalogue } from '../../src/service/resources/catalogue.ts';
import { automations } from '../../src/service/resources/rule-kinds.ts';
import { withEverything } from '../support/everything.ts';
import { PARTNER, runCli, serviceOf } from '../support/run-cli.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const trees = new Map<string, ReturnType<TopLevelCommandEntry['load']>>();
const verbsOf = async (noun: string): Promise<readonly Verb[]> => {
  const loading = trees.get(noun) ?? topLevelCommandEntries.find(({ name }) => name === noun)?.load();
  if (loading !== undefined) trees.set(noun, loading);
  const tree = await loading;
  return tree !== undefined && isGroup(tree)
    ? tree.commands.filter((each): each is Verb => !isGroup(each))
    : [];
};

const fieldTopics = catalogue.flatMap((resource) =>
  Object.keys(resource.fields).map((attribute) => [resource, attribute] as const),
);
const sharedFields = [...new Set(automations.flatMap(({ fields }) => Object.keys(fields)))];
const topics = [
  '',
  ...EXPLAIN_TOPIC_FIRST_WORDS,
  'automation.sms',
  ...sharedFields.map((attribute) => `automation.${attribute}`),
  ...fieldTopics.map(([resource, attribute]) => `${formatExplainTopicName([resource])}.${attribute}`),
];

/** The pages by topic. Each page is made once, and laid out for several widths. */
const pages = new Map<string, ReturnType<typeof topicPage>>();
const pageAbout = (topic: string): ReturnType<typeof topicPage> => {
  const page = pages.get(topic) ?? topicPage(parseExplainTopic([topic]), verbsOf);
  pages.set(topic, page);
  return page;
};
/** The lines by topic and width. Several tests read the same ones. */
const texts = new Map<string, readonly string[]>();
async function textOf(topic: string, width: number): Promise<readonly string[]> {
  const key = `${width} ${topic}`;
  const lines = texts.get(key) ?? formatTextPageLines(await pageAbout(topic), width).map(({ text }) => text);
  texts.set(key, lines);
  return lines;
}
const flat = (lines: readonly string[]): string => lines.join(' ').replaceAll(/\s+/g, ' ');

/** Removes line breaks and blanks, so that texts can be compared. */
const letters = (lines: readonly string[]): string =>
  lines
    .map((line) => line.replace(/ ?\\$/, ''))
    .join('')
    .replaceAll(/\s/g, '');

describe('every page', () => {
  it('exists', () => {
    expect(topics.length).toBeGreaterThan(250);
    expect(new Set(topics).size).toBe(topics.length);
  });

  it.each(topics)('%s is complete at 20, 40, 80 and 200 columns, and no line is wider', async (topic) => {
    const whole = letters(await textOf(topic, 10_000));
    expect(whole.length).toBeGreaterThan(50);
    for (const width of [20, 40, 80, 200]) {
      const lines = await textOf(topic, width);
      expect(lines.filter((line) => displayWidth(line) > width)).toEqual([]);
      expect(lines.filter((line) => line !== line.trimEnd())).toEqual([]);
      expect(letters(lines)).toBe(whole);
    }
  });

  it.each(catalogue.map((resource) => [formatExplainTopicName([resource]), resource] as const))(
    '%s names each of its fields, methods and rules',
    async (topic, resource) => {
      const text = flat(await textOf(topic, 80));
      for (const attribute of Object.keys(resource.fields))
        expect(text).toMatch(new RegExp(` ${attribute}\\*? \\(`));
      for (const { text: rule, section } of resource.rules ?? [])
        expect(text).toContain(`${rule} (${section})`);
    },
  );

  it('show a rule across fields on the page of each of them, of its kind and of all kinds', async () => {
    const rules = catalogue.flatMap((resource) =>
      (resource.rules ?? []).flatMap((rule) =>
        rule.attributes.map((attribute) => [resource, rule, attribute] as const),
      ),
    );
    expect(rules.length).toBeGreaterThan(60);
    for (const [resource, { text, section }, attribute] of rules) {
      expect(flat(await textOf(`${formatExplainTopicName([resource])}.${attribute}`, 80))).toContain(
        `${text} (${section})`,
      );
      if (resource.noun === 'automation')
        expect(flat(await textOf(`automation.${attribute}`, 80))).toContain(`${text} (${section})`);
    }
  });

  it('automation names every field of every kind', async () => {
    const text = flat(await textOf('automation', 80));
    for (const attribute of sharedFields) expect(text).toMatch(new RegExp(` ${attribute}\\*? \\(`));
  });
});

describe('the explanations', () => {
  it('are about existing fields', () => {
    const unknown = catalogue.flatMap(({ name, fields }) =>
      Object.keys(explanations[name].fields).filter((attribute) => !Object.hasOwn(fields, attribute)),
    );
    expect(unknown).toEqual([]);
  });

  it('are whole sentences, without repetition', () => {
    for (const { name } of catalogue) {
      const { about, traps, states = [], refusals = [], permissions = [], fields } = explanations[name];
      const ofFields = Object.values(fields).map((field) => [
        ...(field?.traps ?? []),
        ...(field?.about ?? []),
      ]);
      for (const texts of [[...about, ...traps, ...states, ...refusals, ...permissions], ...ofFields]) {
        expect(new Set(texts).size).toBe(texts.length);
        expect(texts.filter((text) => !/^\S.*[.)]$/s.test(text) || / {2}|\n/.test(text))).toEqual([]);
      }
    }
  });

  it('explain each value of a field whose values are words or codes', () => {
    const said = fieldTopics.filter(([{ name }, attribute]) => explanations[name].fields[attribute]?.values);
    for (const [resource, attribute] of said) {
      const { values = [0, 1] } = resource.fields[attribute] ?? {};
      const told = Object.keys(explanations[resource.name].fields[attribute]?.values ?? {});
      expect([...told].sort()).toEqual(values.map(String).sort());
    }
    const enums = fieldTopics.filter(([{ fields }, attribute]) => fields[attribute]?.values !== undefined);
    expect(enums.filter((each) => !said.includes(each)).map(([, attribute]) => attribute)).toEqual([]);
  });

  it('name existing commands and flags', async () => {
    const paths = new Set<string>();
    const flags = new Set<string>();
    for (const entry of topLevelCommandEntries) {
      const tree = await entry.load();
      paths.add(tree.name);
      for (const verb of isGroup(tree) ? tree.commands : [tree]) {
        paths.add(`${tree.name} ${verb.name}`);
        if (!isGroup(verb))
          for (const { name, friendly } of verb.flags)
            for (const each of [name, friendly]) if (each) flags.add(each);
      }
    }
    const text = JSON.stringify(explanations);
    const commands = [...text.matchAll(/\bsvc ([a-z-]+) ([a-z-]+)/g)].filter(([, noun]) =>
      paths.has(noun ?? ''),
    );
    expect(commands.length).toBeGreaterThan(30);
    expect(
      commands
        .filter(([, noun]) => noun !== 'explain')
        .map(([, noun, verb]) => `${noun} ${verb}`)
        .filter((path) => !paths.has(path)),
    ).toEqual([]);
    const named = [...text.matchAll(/--([a-z-]+)/g)].map(([, name = '']) => name.replace(/^no-/, ''));
    expect([...new Set(named)].filter((name) => !flags.has(name) && !GLOBAL.includes(name))).toEqual([]);
  });

  const GLOBAL = ['company', 'user', 'tz', 'yes', 'fields', 'data', 'timeout'];
});

describe('the example of each field works', () => {
  const examples = new Map<string, string>();
  const exampleIn = (lines: readonly string[]): string =>
    (lines.find((line) => line.startsWith('  $ svc ')) ?? '').slice('  $ svc '.length);

  it('can be run, and says what it would do', async () => {
    const sandbox = await campaignWithEverything();
    const { transport } = serviceOf(sandbox);
    const cwd = await folderWithFiles();
    for (const topic of topics.filter((each) => each.includes('.') && each !== 'automation.sms')) {
      const example = exampleIn(await textOf(topic, 10_000));
      examples.set(example, topic);
    }
    expect(examples.size).toBeGreaterThan(100);
    const failed: string[] = [];
    for (const [example, topic] of examples) {
      const argv = argvOf(example).map((word) => NAMED_HERE[word] ?? word);
      const isPartners = ['features', 'account'].includes(argv[0] ?? '') || argv.includes('--isadmin');
      const env = isPartners ? PARTNER : {};
      const company = argv[0] === 'account' && argv[1] === 'create' ? { SVC_COMPANY_ID: undefined } : {};
      const run = await runCli([...argv, '--dry-run', '--yes'], {
        transport,
        env: { ...env, ...company },
        stdin: 'correct7horse\n',
        cwd,
      });
      // A command that waits for the end of a task ends with its own time-out.
      const expected = argv[1] === 'wait' ? 1 : 0;
      if (run.exitCode !== expected) failed.push(`${topic}: svc ${argv.join(' ')}: ${run.stderr}`);
    }
    await rm(cwd, { recursive: true });
    expect(failed).toEqual([]);
  });
});

/** The ids and names of the examples, as replaced by those of the test sandbox. */
const NAMED_HERE: Readonly<Record<string, string>> = {
  '12': '1',
  '42': '1',
  '7': '1',
  '8': '1',
  '3': '1',
  '17': '1',
  '3_17': '1_1',
  ...Object.fromEntries(
    ['click', 'open', 'subscription', 'date', 'sms'].map((kind) => [`${kind}:12`, `${kind}:1`]),
  ),
};

const argvOf = (line: string): readonly string[] =>
  (line.match(/(?:"[^"]*"|[^\s"])+/g) ?? []).map((word) => word.replaceAll('"', ''));

/** Writes the files that the examples read, with the elements of an opt-in message: interface, "Content rules". */
async function folderWithFiles(): Promise<string> {
  const folder = await makeTemporaryFolder('examples');
  const optIn = '<svc_link value="%svc_optin%" name="opt-in">Confirm</svc_link>';
  await writeFile(join(folder, 'sale.html'), `<p>Sale</p>${optIn}`);
  await writeFile(join(folder, 'sale.txt'), 'Sale <svc_name value="optin" alt="">');
  await writeFile(join(folder, 'new-password.json'), '{"password":"canary77"}');
  return folder;
}

async function campaignWithEverything(): Promise<TestSandbox> {
  const sandbox = await withEverything();
  const { send } = sandbox;
  const email = {
    fromemail: null,
    fromname: 'Example',
    replyemail: 'office@example.com',
    subject: 'Sale',
    text: 'Sale',
  };
  const html = '<p><a href="https://example.com/">Here</a></p>';
  await send('admin', 'POST', '/v1/emailMessage', { ...email, name: 'Spring sale', html });
  await send('admin', 'POST', '/v1/smsMessage', {
    name: 'Spring sale',
    fromname: 'Example',
    message: 'Sale',
  });
  return sandbox;
}
