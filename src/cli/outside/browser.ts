/** Starts programs of this machine that show HTML. None of them gets a key of svc. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { withoutKeys } from './own-program.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface BrowserContext {
  readonly env: Env;
  readonly platform: NodeJS.Platform;
}

/**
 * Opens a file in the user's browser: `BROWSER`, else the system's opener. Resolves when the program has ended, with the reason of a
 * failure as the end of a sentence, or undefined on success.
 */
export async function openInBrowser(
  path: string,
  { env, platform }: BrowserContext,
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
    ? `cannot run ${program} (${code ?? 'unknown'})`
    : `${program} exited with ${exitCode}`;
}

function openerIn(env: Env, platform: NodeJS.Platform): readonly string[] {
  const own = (env['BROWSER'] ?? '').trim();
  if (own !== '') return own.split(/\s+/);
  if (platform === 'darwin') return ['open'];
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}

/** Names under which Chromium and its relatives are installed. The first one on PATH is used. */
export const CHROMIUM_NAMES: readonly string[] = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];

export function findChromium({ env, platform }: BrowserContext): string | undefined {
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
  /** Address of the HTML, a `file:` URL. */
  readonly address: string;
  /** Path of the PNG. */
  readonly png: string;
  /** Empty folder for the browser's own files. */
  readonly folder: string;
  /** Width in pixels. */
  readonly width: number;
  readonly height: number;
}

/** Time limit in milliseconds. A browser that takes longer will never finish. */
const LONGEST = 60_000;

/**
 * Renders a page without any network: no name or address is looked up. Scripts stay enabled, because Chromium renders with one itself and
 * renders nothing without them. @throws Error with the last lines of the browser's output when it creates no picture
 */
export async function takePicture(
  program: string,
  { address, png, folder, width, height }: Picture,
  { env }: BrowserContext,
  signal: AbortSignal,
): Promise<void> {
  // Chromium runs as root, for instance in a container, only without its sandbox.
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
  const ended = ran.failed ? `exited with ${ran.exitCode ?? ran.code ?? 'a signal'}` : 'drew nothing';
  throw new Error(`${program} ${ended}${said === '' ? '' : `: ${said}`}`);
}
