/** Shows a message in the user's browser, and as a picture. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { CHROMIUM_NAMES, findChromium, openInBrowser, takePageScreenshot } from '../../outside/browser.ts';
import type { Context } from '../../outside/context.ts';
import type { Session } from '../../session/session.ts';
import { createPreviewPage } from './preview-page.ts';

/** Opens the message in the browser. svc does not delete the temporary file, because it cannot know when the browser has read the file. */
export async function showInBrowser(session: Session, html: string): Promise<void> {
  const folder = await createPreviewFolder(session.context.env);
  const file = join(folder, 'message.html');
  await writeFile(file, createPreviewPage(html, { allowsNetwork: true }), { mode: 0o600 });
  await session.info(`showing ${file}`);
  await session.waiting('for the browser to open', () => openPageFile(session.context, file));
}

/**
 * Opens the file in the browser. Resolves when the program that opens it has ended; for some programs, that is when the browser is closed.
 * @param file absolute path
 */
export async function openPageFile(context: Context, file: string): Promise<void> {
  const problem = await openInBrowser(file, context, context.signal);
  if (problem === undefined) return;
  throw new CliError('no-browser', `cannot open the browser: ${problem}`, {
    exit: EXIT.failed,
    hint: `set the variable BROWSER to a browser, or open ${file} yourself`,
  });
}

/** Returns a PNG of the page. */
export async function takePreviewPicture(
  session: Session,
  html: string,
  size: { readonly width: number; readonly height: number },
): Promise<Uint8Array> {
  const { context } = session;
  const program = findChromium(context);
  if (program === undefined)
    throw new CliError('no-browser', `cannot find Chromium: PATH has none of ${CHROMIUM_NAMES.join(', ')}`, {
      exit: EXIT.failed,
      hint: 'install Chromium or Chrome, or use --open',
    });
  const folder = await createPreviewFolder(context.env);
  try {
    const page = join(folder, 'message.html');
    const png = join(folder, 'message.png');
    await writeFile(page, createPreviewPage(html, { allowsNetwork: false }), { mode: 0o600 });
    const picture = { address: pathToFileURL(page).href, png, folder: join(folder, 'browser'), ...size };
    await session.waiting('for the picture, at most 1 minute', () =>
      takePageScreenshot(program, picture, context, context.signal),
    );
    context.signal.throwIfAborted();
    return await readFile(png);
  } catch (cause) {
    if (context.signal.aborted) throw new CliError('interrupted', 'interrupted', { exit: EXIT.interrupted });
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError('no-picture', `cannot render the picture: ${why}`, { exit: EXIT.failed, cause });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Creates a private folder for the preview. */
export const createPreviewFolder = (env: Readonly<Record<string, string | undefined>>): Promise<string> =>
  mkdtemp(join(env['TMPDIR'] || tmpdir(), 'svc-preview-'));
