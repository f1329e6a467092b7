/**
 * The first two minutes in a terminal of 80 columns and 24 lines, from `git clone` to a report with bars (contract, "The everyday
 * screen"). test/golden/first-two-minutes.txt keeps the person's screen for readers; `npx vitest run … test/e2e/first-two-minutes.test.ts
 * -u` writes it again.
 * The clone is one of this checkout, under a neutral address. The test does not run `npm ci`, which needs a registry and takes 35
 * seconds. Instead it puts the packages of this checkout and a fresh build into the clone. `npm link` is a link on PATH.
 */
import { existsSync } from 'node:fs';
import { cp, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { displayWidth } from '../../src/kit/text/display-width.ts';
import { buildPackage } from '../support/built-package.ts';
import { DOWN, ENTER, hasPseudoTerminals, inTerminal, type Typed } from '../support/pseudo-terminal.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';
import { withoutChance } from '../support/without-chance.ts';

const [COLUMNS, ROWS] = [80, 24];

/** The address on the screen. Git reads this checkout instead. */
const ADDRESS = 'https://git.example/svc';

let built: Awaited<ReturnType<typeof buildPackage>>;
let home: string;
beforeAll(async () => {
  built = await buildPackage();
  home = await makeTemporaryFolder('first-two-minutes');
});
afterAll(async () => {
  await execa('svc', ['sandbox', 'stop'], { ...outside(), extendEnv: false, reject: false });
  await removeFolder(built.folder);
  await removeFolder(home);
});

const outside = (cwd = home) => ({
  cwd,
  env: {
    PATH: `${built.path}:${process.env['PATH']}`,
    HOME: home,
    TZ: 'UTC',
    LANG: 'C.UTF-8',
    BROWSER: 'true',
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: `url.${resolve('.')}.insteadOf`,
    GIT_CONFIG_VALUE_0: ADDRESS,
    // The checkout may belong to another user, as in a container.
    GIT_CONFIG_KEY_1: 'safe.directory',
    GIT_CONFIG_VALUE_1: '*',
    npm_config_update_notifier: 'false',
  },
});

/** Prepares the clone as `npm ci` does. */
async function install(): Promise<void> {
  await cp(join(built.folder, 'dist'), join(home, 'svc', 'dist'), { recursive: true });
  await symlink(resolve('node_modules'), join(home, 'svc', 'node_modules'));
}

const SCENES = 7;
const turnPages: readonly Typed[] = Array.from({ length: SCENES - 1 }, (_, at) => ({
  after: [`Press Enter for step ${at + 2} of ${SCENES}`],
  type: ENTER,
}));

const EMAIL =
  "svc email create --name Spring --subject 'Spring is here' --from hello@harbourcoffee.example " +
  "--from-name 'Harbour Coffee' --reply-to hello@harbourcoffee.example " +
  "--html '<p>See <a href=\"https://harbourcoffee.example/\">what is new</a>.</p>' --text 'See what is new.'";

const STEPS: readonly (readonly [line: string, person?: readonly Typed[]])[] = [
  [`git clone ${ADDRESS}`],
  ['npm run demo', turnPages],
  ['svc'],
  ['svc init', [{ after: ['What do you want to connect to?', 'select'], type: DOWN + ENTER }]],
  ['svc task list'],
  [EMAIL],
  [
    'svc task create --name Spring --channel email --message Spring --list 1 --now',
    [{ after: ['(y/N)'], type: `y${ENTER}` }],
  ],
  ['svc sandbox event open --task Spring --share 35%'],
  ['svc sandbox event click --task Spring --share 8%'],
  ['svc task report Spring'],
];

describe.skipIf(!hasPseudoTerminals || !existsSync('.git'))('the first two minutes', () => {
  it('lead from a clone to a report with bars, on a screen of 80 columns and 24 lines', async () => {
    let text = '';
    for (const [line, person = []] of STEPS) {
      const { shown, exitCode } = await inTerminal(
        ['sh', '-c', line],
        {
          ...outside(existsSync(join(home, 'svc')) ? join(home, 'svc') : home),
          columns: COLUMNS,
          rows: ROWS,
        },
        person,
      );
      expect(exitCode, shown).toBe(0);
      expect(shown.split('\n').filter((each) => displayWidth(each) > COLUMNS)).toEqual([]);
      // One line is for the prompt. The demo waits for Enter after each scene.
      if (person !== turnPages) expect(shown.split('\n').length, shown).toBeLessThan(ROWS);
      text += `$ ${line}\n${shown}\n\n`;
      if (line.startsWith('git clone')) {
        await install();
        text += '$ cd svc\n\n';
      }
      if (line.includes('--now'))
        await execa('svc', ['task', 'wait', 'Spring'], { ...outside(), extendEnv: false });
    }
    expect(text).toMatch(/opened +155 .*[█#]/);
    expect(text).toMatch(/clicked +35 .*[█▏▎▍▌▋▊▉#]/);
    await expect(steady(withoutChance(text, home))).toMatchFileSnapshot('../golden/first-two-minutes.txt');
  });
});

/** Returns the text without the parts that depend on the machine. */
const steady = (text: string): string =>
  text
    // The length of the temporary home's path decides where this line breaks.
    .replace(
      /^Saved profile sandbox in\s+(~\S+;)\s+it\s+is\s+the\s+default\s+one\.$/gm,
      'Saved profile sandbox in $1 it is the default profile.',
    )
    // Git shows its progress on a slow machine.
    .replace(/^(?:Updating files|Receiving objects|Resolving deltas):.*\n/gm, '')
    .replace(/completed after [0-9]+ seconds?/g, 'completed after SO LONG');
