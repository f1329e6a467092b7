/** A folder, profiles and a running sandbox of the demo company. The examples of the documentation run there, in this process. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { appendFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { commentAt } from '../../.config/site/page.ts';
import { REACTION_SHARE_PRESETS } from '../../src/service/protocol/control/audience.ts';
import type { Transport } from '../../src/service/protocol/wire.ts';
import { type Outside, type Run, runCli } from './run-cli.ts';
import { runSandbox, type SocketSandbox } from './running-sandbox.ts';
import { NOW } from './sandbox.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folder.ts';

export interface World {
  readonly cwd: string;
  /** The running sandbox. A line after `svc sandbox stop` starts another one. */
  readonly sandbox: () => SocketSandbox;
  /**
   * Runs a line of a shell that contains only commands of svc, `||`, `;`, redirections and variables. Returns the result of the last
   * command.
   * @param outside the answers of a person on the terminal, and a signal for Ctrl-C
   * @throws Error for another command
   */
  readonly run: (line: string, outside?: Pick<Outside, 'answers' | 'signal'>) => Promise<Run>;
  readonly close: () => Promise<void>;
}

export async function openWorld(files: Readonly<Record<string, string>> = {}): Promise<World> {
  const home = await makeTemporaryFolder('examples');
  const cwd = join(home, 'work');
  const state = join(home, 'state');
  for (const folder of [cwd, state]) mkdirSync(folder, { mode: 0o700 });
  await cp('examples', join(cwd, 'examples'), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
  const start = (): Promise<SocketSandbox> =>
    runSandbox(join(state, 'sandbox'), {
      ...{ seed: 'demo', clock: 'manual', companions: true },
      simulatedRecipients: { shares: REACTION_SHARE_PRESETS.lively, seed: 1 },
      machineNow: () => NOW * 1000,
    });
  let sandbox = await start();
  /** Set when `svc sandbox stop` has requested its end. */
  let ended: Promise<void> | undefined;
  const listen = (): void => {
    const asked = sandbox;
    void asked.stopAsked.then(() => {
      ended = asked.stop();
    });
  };
  listen();
  const variables: Record<string, string | undefined> = {
    ...{ PATH: process.env['PATH'], HOME: home, SHELL: '/bin/bash', BROWSER: 'true', PROFILE: 'profile.ps1' },
    ...{ SVC_CONFIG_DIR: join(home, 'config'), SVC_STATE_DIR: state, SVC_BASE_URL: undefined },
    ...{ SVC_COMPANY_ID: undefined, SVC_USER_ID: undefined, SVC_API_KEY: undefined, USER: 'ada' },
  };
  const transport: Transport = (request) => transportTo(sandbox)(request);

  const command = async (
    text: string,
    { answers, signal }: Parameters<World['run']>[1] = {},
  ): Promise<Run> => {
    if (ended !== undefined) {
      // The lines after `svc sandbox stop` are for another service.
      await ended;
      ended = undefined;
      sandbox = await start();
      listen();
    }
    const { words, env, input, output } = read(text, variables, cwd);
    if (words[0] !== 'svc') throw new Error(`not a command of svc: ${text}`);
    const run = await runCli(words.slice(1), {
      ...{ transport, cwd, homeDir: home, machineZone: 'UTC', columns: 80, env: { ...variables, ...env } },
      // Other people act while a command waits.
      onSleep: () => new Promise((done) => setImmediate(done)),
      ...(input === undefined ? {} : { stdin: await readFile(join(cwd, input), 'utf8') }),
      ...(answers === undefined ? {} : { tty: true, answers }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (output !== undefined) {
      await mkdir(dirname(join(cwd, output)), { recursive: true });
      await appendFile(join(cwd, output), run.stdout);
    }
    return run;
  };

  const run: World['run'] = async (line, outside) => {
    const at = commentAt(line);
    const text = (at < 0 ? line : line.slice(0, at)).trim();
    const exported = /^export (.*)$/.exec(text)?.[1];
    if (exported !== undefined) {
      Object.assign(variables, read(`${exported} svc`, variables, cwd).env);
      return { stdout: '', stderr: '', exitCode: 0, questions: [] };
    }
    const assigned = /^(\w+)=\$\((svc .*)\)$/s.exec(text);
    if (assigned !== null) {
      const found = await command(assigned[2] ?? '', outside);
      variables[assigned[1] ?? ''] = found.stdout.trim();
      return found;
    }
    let last: Run | undefined;
    for (const each of text.split('; '))
      for (const way of each.split(' || ')) {
        last = await command(way, outside);
        if (last.exitCode === 0) break;
      }
    if (last === undefined) throw new Error(`nothing to run: ${line}`);
    return last;
  };
  return {
    cwd,
    sandbox: () => sandbox,
    run,
    close: async () => {
      await (ended ?? sandbox.stop());
      await removeFolder(home);
    },
  };
}

const transportTo =
  ({ ready }: SocketSandbox): Transport =>
  async ({ method, path, query, headers, body }) => {
    const answer = await fetch(`${ready.baseUrl}${path}${query === '' ? '' : `?${query}`}`, {
      ...{ method, headers, redirect: 'manual' },
      ...(body === undefined ? {} : { body }),
    });
    return {
      status: answer.status,
      // The server uses the time of the machine.
      headers: { ...Object.fromEntries(answer.headers), date: new Date(NOW * 1000).toUTCString() },
      body: await answer.text(),
    };
  };

interface Command {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: string | undefined;
  readonly output: string | undefined;
}

/** Reads a command as a shell does: quotes, variables, patterns of file names, assignments before it, and redirections after it. */
function read(text: string, variables: Readonly<Record<string, string | undefined>>, cwd: string): Command {
  const words: string[] = [];
  const env: Record<string, string> = {};
  let redirection: 'input' | 'output' | undefined;
  const files: { input?: string; output?: string } = {};
  const filled = (piece: string): string =>
    piece
      .replaceAll(/\$\(cat ([\w.]+)\)/g, (_, name: string) => readFileSync(join(cwd, name), 'utf8').trim())
      .replaceAll(/\$\{?(\w+)\}?/g, (_, name: string) => variables[name] ?? '');
  for (const [, word = ''] of text.matchAll(/((?:"[^"]*"|'[^']*'|[^\s"'])+)/g)) {
    const value = word.replaceAll(/"([^"]*)"|'([^']*)'|([^"']+)/g, (_, double, single, plain) =>
      double === undefined ? (single ?? filled(plain)) : filled(double),
    );
    const assigned = words.length === 0 ? /^([A-Z_]+)=(.*)$/s.exec(value) : null;
    if (word === '>' || word === '>>' || word === '<') redirection = word === '<' ? 'input' : 'output';
    else if (redirection !== undefined) {
      files[redirection] = value.startsWith('~/') ? join('..', value.slice(2)) : value;
      redirection = undefined;
    } else if (assigned !== null) env[assigned[1] ?? ''] = assigned[2] ?? '';
    else if (/^[\w/.]*\*[\w.]*$/.test(word)) words.push(...matching(word, cwd));
    else words.push(value.startsWith('~/') ? `${variables['HOME']}${value.slice(1)}` : value);
  }
  return { words, env, input: files.input, output: files.output };
}

/** Returns the files that a pattern such as `mails/*.html` names. */
function matching(pattern: string, cwd: string): readonly string[] {
  const folder = dirname(pattern);
  const end = pattern.slice(pattern.indexOf('*') + 1);
  return readdirSync(join(cwd, folder))
    .filter((name) => name.endsWith(end))
    .map((name) => join(folder, name))
    .sort();
}
