/**
 * First attempts by meaning. `newcomers.tsv` has 200 lines that people with the habits of Mailchimp, Brevo, SendGrid, Twilio, gh, kubectl, aws
 * and stripe type first; `second-day.tsv` has the lines of a report. `first-attempts-1.tsv` and `-2.tsv` are by people who had seen neither the
 * lists nor the vocabulary; before the vocabulary knew them, 77 and 81 % were understood. Each line has the words that show that svc understood
 * it.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Group, isGroup, type Verb } from '../../../src/cli/command/command.ts';
import { explainMeaning } from '../../../src/cli/command/meaning/meaning.ts';
import {
  ABSENT,
  COMMAND_SYNONYMS,
  COMMANDS_BY_FILE,
  FLAG_ADVICE,
  FLAG_SYNONYMS,
  NOUN_SYNONYMS,
  RECIPES,
  REMOVES_OR_SENDS,
  VERB_ADVICE,
  VERB_SYNONYMS,
} from '../../../src/cli/command/meaning/vocabulary.ts';
import { topLevelCommandEntries } from '../../../src/cli/registry/entries.ts';
import { type DemoService, openDemoService } from '../../support/demo-service.ts';
import { runCli } from '../../support/run-cli.ts';

const pathsIn = (tree: Verb | Group, above: readonly string[] = []): readonly string[] => {
  const path = [...above, tree.name];
  return [path.join(' '), ...(isGroup(tree) ? tree.commands.flatMap((each) => pathsIn(each, path)) : [])];
};
let paths: readonly string[];
let demo: DemoService;
beforeAll(async () => {
  const trees = await Promise.all(topLevelCommandEntries.map((entry) => entry.load()));
  paths = trees.flatMap((tree) => pathsIn(tree));
  demo = await openDemoService();
});

/** Returns the commands that a hint names, such as `task cancel`: those with the most words. */
const commandsIn = (text: string): readonly string[] =>
  [...text.matchAll(/\bsvc ((?:[a-z-]+ ?)+)/g)].flatMap(([, words = '']) => {
    const named = words.trim().split(' ');
    const found = named.map((_, at) => named.slice(0, named.length - at).join(' '));
    return found.find((path) => paths.includes(path)) ?? [];
  });

/** Splits a line at blanks outside quotes, as a shell does. */
const splitWords = (line: string): readonly string[] =>
  (line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []).map((word) => word.replaceAll(/["'](.*?)["']/g, '$1'));

const rowsOf = (file: string): readonly (readonly [typed: string, understood: string])[] =>
  readFileSync(new URL(file, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((row) => row.split('\t') as [string, string]);

describe.each(['newcomers.tsv', 'second-day.tsv', 'first-attempts-1.tsv', 'first-attempts-2.tsv'])(
  '%s',
  (file) => {
    const rows = rowsOf(file);

    it('at least nine of ten lines do or name what was meant, and none names another command that removes or sends', async () => {
      const missed: string[] = [];
      const wrong: string[] = [];
      for (const [typed, understood] of rows) {
        const run = await runCli(splitWords(typed), { transport: demo.transport, env: demo.admin });
        const said = `${run.stdout}\n${run.stderr}`;
        if (!new RegExp(understood).test(said)) missed.push(`${typed}: ${run.stderr}`);
        const harmful = commandsIn(/Hint:.*/s.exec(run.stderr)?.[0] ?? '').filter((path) =>
          REMOVES_OR_SENDS.test(path),
        );
        for (const path of harmful)
          if (!HARMFUL_WORDS.some(([paths, words]) => paths.test(path) && words.test(typed)))
            wrong.push(`${typed}: ${path}`);
        expect(run.stderr, typed).not.toMatch(
          /--yes\b|--force\b|--prune\b|--both\b/.test(typed)
            ? /^$/
            : /(?:write|add|mean) [^\n]*(?:--force|--prune|--both)/,
        );
      }
      expect(wrong).toEqual([]);
      expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(rows.length / 10);
    });
  },
);

it('newcomers.tsv has 200 lines', () => expect(rowsOf('newcomers.tsv')).toHaveLength(200));

/**
 * Commands that remove something or send something, and the words with which a line asks for exactly that. Written from what the words mean:
 * a word that only asks, lists, checks or imports is not among them.
 */
const HARMFUL_WORDS: readonly (readonly [commands: RegExp, words: RegExp, why: string])[] = [
  [
    /^task cancel$/,
    /cancel|cancle|undo|stop|abort|halt|kill|terminat|schedul|pause|close|end|recall|unsend|revoke|rm|remove|del|destroy|suspend/i,
    'ends a send that has not happened',
  ],
  [
    /^task create$/,
    /create|new|add|make|insert|compose|write|build|generate|register|draft|post|setup|define|send|schedule|launch|invite|duplicate|copy|replicate|rerun|ses|transactional|singlesend|compose|deliver|ab|split|experiment|vari|whatsapp|push|voice|call|fax|viber|rcs|telegram|slack|^text everyone/i,
    'asks for every value, and schedules nothing by itself',
  ],
  [/^task undo$|^undo$/, /undo|revert|rollback|undelete|reset|back/i, 'says what it takes back, and asks'],
  [
    /^apply$/,
    /apply|deploy|run|push|execute|ship|release|launch|up|send|publish|start|create|import|schedule|sync/i,
    'shows the plan first, and asks',
  ],
  [
    /^sms send$/,
    /sms|text|message|msg|send|publish|create|new|deliver|dispatch|post|submit|mms|texting|whatsapp|voice|call|fax|viber|rcs|telegram|slack|push/i,
    'sends what was typed, and asks',
  ],
  [
    /proof$/,
    /proof|test|sample|trial|send|mail|transactional|compose|deliver|singlesend|ses/i,
    'sends only to the proof list',
  ],
  [
    /^automation (?:create|resume)$/,
    /create|new|add|make|insert|compose|write|build|generate|register|draft|post|setup|define|webhook|callback|hook|endpoint|notification|recurring|repeat|cron|rrule|weekly|daily|resume|start|enable|activate|unpause|continue|restart|unfreeze|on|publish|invite|duplicate|copy|replicate|rerun|birthday|welcome/i,
    'asks for every value',
  ],
  [
    /^dnc add$/,
    /block|suppress|ban|never|no more|unsub|blacklist|opt|add|new|create|make|insert|append|register|put|post|save|authenticate|duplicate|copy/i,
    'the person wants no more mail to an address',
  ],
  [
    /^dnc import$/,
    /dnc .*(?:add|create|insert|upload|import|load|bulk|ingest)|blacklist import|upload .* opted out/,
    'the line says dnc, or that the people opted out',
  ],
  [
    /^features (?:set|apply)$/,
    /set|lock|turn on|edit|update|change|modify|configure|put|assign|save|unset|apply|deploy|push|run|execute|sync/i,
    'changes limits as the partner',
  ],
  [
    /delete$|remove$|revoke$|clear$/,
    /delete|rm|remove|del|destroy|drop|erase|purge|trash|discard|archive|forget|logout|log-out|sign|un|revoke|disable|clear|reset|whitelist|allowlist|reactivate|resubscribe/i,
    'asks before it removes a record',
  ],
  [
    /^sandbox (?:reset|snapshot restore)$/,
    /reset|wipe|clear|clean|empty|erase|destroy|delete|restore|load|rollback|revert|recover|use/i,
    'changes a sandbox only',
  ],
];

it('no word, alone or beside a noun, leads to a command that removes or sends, except by a word for it', async () => {
  const tables = [VERB_SYNONYMS, NOUN_SYNONYMS, COMMAND_SYNONYMS];
  const words = [...new Set(tables.flatMap((table) => Object.values(table).flat()))];
  const lines = words.flatMap((word) => [[word], ['dnc', word]]);
  const wrong: string[] = [];
  for (const line of lines) {
    const hint = (await explainMeaning(line, topLevelCommandEntries)) ?? '';
    for (const path of commandsIn(hint).filter((each) => REMOVES_OR_SENDS.test(each)))
      if (!HARMFUL_WORDS.some(([commands, each]) => commands.test(path) && each.test(line.join(' '))))
        wrong.push(`${line.join(' ')}: ${hint}`);
  }
  expect(wrong).toEqual([]);
}, 60_000);

describe('a misspelt or harmless line', () => {
  it.each([
    ['import people.csv', 'sandbox subscriber import people.csv'],
    ['upload people.csv', 'sandbox subscriber import people.csv'],
    ['test spring.yaml', 'svc rehearse spring.yaml'],
    ['events resend 4', 'svc log'],
    ['rollout undo task 9', 'svc task get 9'],
    ['check 7', 'svc '],
  ])('%s names no command that removes or sends without a word for it', async (typed, named) => {
    const hint = (await explainMeaning(typed.split(' '), topLevelCommandEntries)) ?? '';
    expect(hint).toContain(named);
    expect(hint).not.toMatch(/dnc import|email proof|task create|task undo|dnc add/);
  });

  it('takes the text of an SMS from its flag, and never from another one', async () => {
    const typed = ['sms', 'create', '--send-at', 'tomorrow 9am', '--to', '+447700900321'];
    const hint = await explainMeaning([...typed, '--text', 'See you at 10'], topLevelCommandEntries);
    expect(hint).toContain('svc sms send --to +447700900321 --text "See you at 10"');
    expect(await explainMeaning(typed, topLevelCommandEntries)).toContain('--text TEXT');
  });

  it('a filter never names a flag that takes away a question', async () => {
    const hintOf = async (filter: string) =>
      (await runCli(['task', 'list', '--filter', filter], { transport: demo.transport, env: demo.admin }))
        .stderr;
    expect(await hintOf('status=scheduled')).toContain('write --status scheduled');
    for (const name of ['yes', 'all']) expect(await hintOf(`${name}=1`)).not.toContain(`--${name}`);
  });

  it.each(['--ys', '--yess', '--forc', '--desc', '--forse', '--prun', '--bot', '--no'])(
    '%s is never spelled as a flag that takes away a question',
    async (flag) => {
      for (const command of [
        'task list',
        'apply x.yaml',
        'plan x.yaml',
        'folder delete 1',
        'approve x.plan',
      ]) {
        const run = await runCli([...command.split(' '), flag], {
          transport: demo.transport,
          env: demo.admin,
        });
        expect(run.exitCode).toBe(2);
        expect(run.stderr).not.toMatch(/--(?:yes|force|prune|both|overwrite|now|allow-[a-z-]+)\b/);
      }
    },
  );

  it('contains no key', async () => {
    const key = 'c0ffee00c0ffee11c0ffee22c0ffee33';
    for (const line of [`task cancel-it ${key}`, `list --name ${key}`, `send sms +447700900123 ${key}`])
      expect(await explainMeaning(line.split(' '), topLevelCommandEntries)).not.toContain(key);
  });
});

describe('the vocabulary', () => {
  const lastWords = () => new Set(paths.map((path) => path.split(' ').at(-1)));
  it('names only nouns, verbs and commands of svc', () => {
    expect(Object.keys(VERB_SYNONYMS).filter((verb) => !lastWords().has(verb))).toEqual([]);
    const nouns = [...Object.keys(NOUN_SYNONYMS), ...Object.keys(ABSENT)];
    expect(nouns.filter((noun) => !paths.includes(noun))).toEqual([]);
    const commands = [...Object.keys(COMMAND_SYNONYMS), ...Object.values(COMMANDS_BY_FILE).flat()];
    expect(commands.filter((path) => !paths.includes(path))).toEqual([]);
  });

  it('each recipe runs: its commands exist and take the flags', async () => {
    for (const { run } of RECIPES)
      for (const line of run) {
        const words = line
          .replace('{phone}', '447700900123')
          .replace('{address}', 'a@example.com')
          .replace('{path}', '/v1/task')
          .replace('{method}', 'GET')
          .replace(/\{\w+\}|FILE|TEXT|DIR/g, 'x.yaml')
          .replace(/\b(?:ID|MESSAGE)\b/g, '1');
        const { stderr } = await runCli(
          [...words.split(' '), ...(line.includes('--version') ? [] : ['--help'])],
          { env: demo.admin },
        );
        expect(stderr, line).not.toMatch(/there is no|has no|unexpected/);
      }
  });

  it('has no flag that takes away a question or a check', () => {
    const texts = [
      ...RECIPES.flatMap(({ run, says = '' }) => [...run, says]),
      ...Object.values(FLAG_ADVICE),
      ...Object.values(VERB_ADVICE),
    ];
    expect(texts.filter((text) => /--(?:yes|force|prune|both|overwrite|now)\b/.test(text))).toEqual([]);
    expect(Object.keys(FLAG_SYNONYMS)).not.toContain('force');
  });
});
