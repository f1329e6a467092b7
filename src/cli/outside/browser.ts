/** Programs of this machine that show HTML. None of them gets a key of svc. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { withoutKeys } from './child-env.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface Outside {
  readonly env: Env;
  readonly platform: NodeJS.Platform;
}

/**
 * Opens a file in the person's browser: `BROWSER`, else what the system takes. Resolves when the program has ended, to what
 * went wrong, as the end of a sentence; undefined where nothing did.
 */
export async function openInBrowser(
  path: string,
  { env, platform }: Outside,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [program = '', ...args] = openerIn(env, platform);
  const { exitCode, failed, code, isCanceled } = await execa(program, [...args, path], {
    ...{
      env: withoutKeys(env),
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
    ? `${program} cannot be run (${code ?? 'unknown'})`
    : `${program} ended with ${exitCode}`;
}

function openerIn(env: Env, platform: NodeJS.Platform): readonly string[] {
  const own = (env['BROWSER'] ?? '').trim();
  if (own !== '') return own.split(/\s+/);
  if (platform === 'darwin') return ['open'];
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}

/** Names under which Chromium and its relatives are installed; the first that PATH has counts. */
export const CHROMIUM_NAMES: readonly string[] = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];

export function findChromium({ env, platform }: Outside): string | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const end = platform === 'win32' ? '.exe' : '';
  const named = CHROMIUM_NAMES.flatMap((name) => folders.map((folder) => join(folder, name + end)));
  const usual = platform === 'darwin' ? ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'] : [];
  return [...named, ...usual].find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

export interface Picture {
  /** Of the HTML, a `file:` address. */
  readonly address: string;
  /** Where the PNG goes. */
  readonly png: string;
  /** A folder that is empty, for what the browser keeps. */
  readonly folder: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Milliseconds; a browser that takes longer never ends. */
const LONGEST = 60_000;

/**
 * Renders a page without any network: no name and no address is looked up. Scripts are the page's own affair, since Chromium
 * draws by one itself and draws nothing where they are off. Throws an `Error` with the last lines
 * of what the browser said, where it makes no picture.
 */
export async function takePicture(
  program: string,
  { address, png, folder, width, height }: Picture,
  { env }: Outside,
  signal: AbortSignal,
): Promise<void> {
  // As root, in a container for instance, Chromium runs without its sandbox or not at all.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const ran = await execa(
    program,
    [
      ...['--headless', '--disable-gpu', '--disable-extensions', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync', '--no-first-run', '--no-default-browser-check'],
      ...['--hide-scrollbars', '--force-device-scale-factor=1'],
      ...['--host-resolver-rules=MAP * ~NOTFOUND', '--proxy-server=direct://', ...asRoot],
      ...[`--user-data-dir=${folder}`, `--window-size=${width},${height}`, `--screenshot=${png}`, address],
    ],
    {
      ...{ env: withoutKeys(env), extendEnv: false, stdin: 'ignore', stdout: 'ignore', reject: false },
      ...{ cancelSignal: signal, timeout: LONGEST, forceKillAfterDelay: 2000 },
    },
  );
  if (ran.isCanceled || (!ran.failed && existsSync(png))) return;
  if (ran.timedOut) throw new Error(`${program} took longer than ${LONGEST / 1000} seconds`);
  const said = ran.stderr.trim().split('\n').slice(-3).join('\n');
  const ended = ran.failed ? `ended with ${ran.exitCode ?? ran.code ?? 'a signal'}` : 'drew nothing';
  throw new Error(`${program} ${ended}${said === '' ? '' : `: ${said}`}`);
}
