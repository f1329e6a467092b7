/** The example of each verb of a noun, and the files and records that it needs in the sandbox's demo company. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isGroup, type Verb } from '../../src/cli/command/command.ts';
import { nouns } from '../../src/cli/registry/entries.ts';
import type { Transport } from '../../src/service/protocol/wire.ts';
import { type DemoService, openDemoService } from './demo-service.ts';
import { type Outside, type Run, runCli } from './run-cli.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const FILES: Readonly<Record<string, string>> = {
  'sale.html': '<html><body><p>Sale</p></body></html>',
  'sale.txt': 'Sale\n',
  'baseline.yaml': 'enableemail: true\n',
  'unsubscribed.csv': 'email\nsomeone@example.com\n',
};

export interface NounVerb {
  /** The noun and the verb. */
  readonly path: string;
  readonly verb: Verb;
}

export const nounVerbs: readonly NounVerb[] = (
  await Promise.all(
    nouns.map(async (noun) => {
      const tree = await noun.load();
      if (!isGroup(tree)) throw new Error(`${noun.name} is no group`);
      return tree.commands
        .filter((each): each is Verb => !isGroup(each) && each.announced === undefined)
        .map((verb) => ({ path: `${noun.name} ${verb.name}`, verb }));
    }),
  )
).flat();

export interface Examples {
  readonly demo: DemoService;
  /** A folder with the files that examples name. */
  readonly cwd: string;
  /** @param example a command line without `svc` */
  readonly run: (example: string, more: readonly string[], outside?: Outside) => Promise<Run>;
}

export async function openExamples(name: string): Promise<Examples> {
  const demo = await openDemoService();
  const cwd = await makeTemporaryFolder(name);
  const state = join(cwd, 'state');
  mkdirSync(state, { mode: 0o700 });
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(cwd, file), text);
  const transport: Transport = demo.transport;
  // A message that nothing uses, with a text part that was changed here.
  await runCli(['email', 'pull', '6', '--dir', 'mails'], { transport, cwd, env: demo.admin });
  writeFileSync(join(cwd, 'mails', 'christmas-hampers-draft.txt'), 'Hampers\n');
  return {
    demo,
    cwd,
    run: (example, more, outside = {}) =>
      runCli([...argvOf(example), ...more], {
        transport,
        stdin: 'correct7horse\n',
        cwd,
        ...outside,
        env: {
          ...(/^(features|account create)/.test(example) ? demo.partner : demo.admin),
          SVC_STATE_DIR: state,
          ...outside.env,
        },
      }),
  };
}

/** Splits a line as a shell does, with the quotes that examples use. */
export const argvOf = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
