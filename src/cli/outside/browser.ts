/** Starts browsers: to open a page for the user, or to take a picture of a page. No browser gets svc's API keys. */
import { accessSync, constants, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { execa } from 'execa';
import type { Environment } from './context.ts';
import { drawPage } from './devtools.ts';
import { removeApiKeysFromEnvironment } from './own-program.ts';

export interface BrowserContext {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
}

/** Opens a file with `BROWSER` or the system's opener. Resolves when the program has ended, to the reason if it failed. */
export async function openInBrowser(
  path: string,
  { env, platform }: BrowserContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [program = '', ...args] = openerIn(env, platform);
  const { exitCode, failed, code, isCanceled } = await execa(program, [...args, path], {
    ...{
      env: removeApiKeysFromEnvironment(env),
      extendEnv: false,
      stdio: 'ignore',
      reject: false,
      detached: true,
      cleanup: false,
    },
    cancelSignal: signal,
  });
  if (!failed || isCanceled) return undefined;
  return exitCode === undefined
    ? `cannot run ${program} (${code ?? 'unknown'})`
    : `${program} exited with ${exitCode}`;
}

function openerIn(env: Environment, platform: NodeJS.Platform): readonly string[] {
  const own = (env.BROWSER ?? '').trim();
  if (own !== '') return own.split(/\s+/);
  if (platform === 'darwin') return ['open'];
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}

/** Names under which Chromium and related browsers are installed. The first one on PATH is used. */
export const CHROMIUM_NAMES: readonly string[] = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];

/** Returns the path of Chromium or a related browser, or undefined if none is installed. */
export function findChromium({ env, platform }: BrowserContext): string | undefined {
  return chromiumPaths(env, platform).find((path) => isProgram(path, platform));
}

/** Reports whether the file can be run. Windows decides by the ending of its name. */
function isProgram(path: string, platform: NodeJS.Platform): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    if (platform !== 'win32') accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the paths at which Chromium may be: the folders of PATH, then the usual folders of the system. */
export function chromiumPaths(env: Environment, platform: NodeJS.Platform): readonly string[] {
  const { delimiter, join } = platform === 'win32' ? win32 : posix;
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).filter((folder) => folder !== '');
  const end = platform === 'win32' ? '.exe' : '';
  const named = CHROMIUM_NAMES.flatMap((name) => folders.map((folder) => join(folder, name + end)));
  if (platform === 'darwin')
    return [...named, '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];
  if (platform !== 'win32') return named;
  // Windows installs browsers outside of PATH. Edge is a Chromium, too.
  const roots = ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].flatMap((name) => env[name] ?? []);
  const usual = ['Google\\Chrome\\Application\\chrome.exe', 'Microsoft\\Edge\\Application\\msedge.exe'];
  return [...named, ...usual.flatMap((program) => roots.map((root) => join(root, program)))];
}

interface PageScreenshotOptions {
  /** Address of the HTML page, as a `file:` URL. */
  readonly address: string;
  /** Empty folder in which the browser can store its own files. */
  readonly folder: string;
  readonly width: number;
  /** Undefined for the height of the page. */
  readonly height: number | undefined;
}

/** Time limit of a screenshot. A browser that takes longer will probably never finish. */
const TIME_LIMIT_MS = 60_000;

/**
 * Renders a page to a PNG without access to the network. Scripts stay enabled, because Chromium needs them to render.
 * @throws Error with the last lines of the browser's output if there is no picture
 */
export async function takePageScreenshot(
  program: string,
  { folder, ...page }: PageScreenshotOptions,
  { env }: BrowserContext,
  signal: AbortSignal,
): Promise<Uint8Array> {
  // Chromium runs as root, for instance in a container, only without its sandbox.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = execa(
    program,
    [
      ...['--headless', '--disable-gpu', '--disable-extensions', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync', '--no-first-run', '--no-default-browser-check'],
      ...['--hide-scrollbars', '--force-device-scale-factor=1'],
      ...['--host-resolver-rules=MAP * ~NOTFOUND', '--proxy-server=direct://', ...asRoot],
      ...[`--user-data-dir=${folder}`, '--remote-debugging-pipe', 'about:blank'],
    ],
    {
      ...{ env: removeApiKeysFromEnvironment(env), extendEnv: false, reject: false },
      ...{ stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'], buffer: { fd3: false, fd4: false } },
      ...{ cancelSignal: signal, timeout: TIME_LIMIT_MS, forceKillAfterDelay: 2000 },
    },
  );
  const [, , , requests, responses] = browser.stdio;
  const ended = browser.then(() => undefined);
  // Its files can be deleted only when it has ended.
  const picture = await Promise.race([drawPage(requests, responses, page), ended]).finally(() => browser);
  const ran = await browser;
  if (ran.isCanceled) throw signal.reason;
  if (picture !== undefined) return picture;
  if (ran.timedOut) throw new Error(`${program} took longer than ${TIME_LIMIT_MS / 1000} seconds`);
  const said = ran.stderr.trim().split('\n').slice(-3).join('\n');
  const how =
    ran.exitCode === 0 ? 'created no picture' : `exited with ${ran.exitCode ?? ran.code ?? 'a signal'}`;
  throw new Error(`${program} ${how}${said === '' ? '' : `: ${said}`}`);
}
