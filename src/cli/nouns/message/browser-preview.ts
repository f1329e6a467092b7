/** Shows a message in a browser: once, as a picture, or as a page that reloads. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createAtomicFile, fillFile } from '../../../kit/files/atomic-file.ts';
import { FileError } from '../../../kit/files/errors.ts';
import { type Span, visitHtml } from '../../../kit/text/html-tokens.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { CHROMIUM_NAMES, findChromium, openInBrowser, takePageScreenshot } from '../../outside/browser.ts';
import type { Context } from '../../outside/context.ts';
import type { Invocation, Tell } from '../../session/ports.ts';

/** svc does not delete the temporary file, because it cannot know when the browser has read it. */
export async function showInBrowser(session: Invocation & Tell, html: string): Promise<void> {
  const folder = await createPreviewFolder(session.context.env);
  const file = join(folder, 'message.html');
  await writeFile(file, createPreviewPage(html, { allowsNetwork: true }), { mode: 0o600 });
  await session.info(`showing ${file}`);
  await session.waiting('for the browser to open', () => openPageFile(session.context, file));
}

/** Resolves when the program that opens the file has ended; for some programs, that is when the browser is closed. */
async function openPageFile(context: Context, file: string): Promise<void> {
  const problem = await openInBrowser(file, context, context.signal);
  if (problem === undefined) return;
  throw new CliError('no-browser', `cannot open the browser: ${problem}`, {
    exit: EXIT.failed,
    hint: `set the variable BROWSER to a browser, or open ${file} yourself`,
  });
}

/** Returns a PNG. */
export async function takePreviewPicture(
  session: Invocation & Tell,
  html: string,
  size: { readonly width: number; readonly height: number | undefined },
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
    await writeFile(page, createPreviewPage(html, { allowsNetwork: false }), { mode: 0o600 });
    const picture = { address: pathToFileURL(page).href, folder: join(folder, 'browser'), ...size };
    return await session.waiting('for the picture, at most 1 minute', () =>
      takePageScreenshot(program, picture, context, context.signal),
    );
  } catch (cause) {
    if (context.signal.aborted) throw new CliError('interrupted', 'interrupted', { exit: EXIT.interrupted });
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError('no-picture', `cannot render the picture: ${why}`, { exit: EXIT.failed, cause });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const createPreviewFolder = (env: Readonly<Record<string, string | undefined>>): Promise<string> =>
  mkdtemp(join(env['TMPDIR'] || tmpdir(), 'svc-preview-'));

/** Seconds. A page without scripts cannot be told about a change, so it reloads regularly. */
const REFRESH = 2;

export type LivePreviewPages = ReturnType<typeof createLivePreviewPages>;

/** svc does not delete the folder: the browser may still read the pages. `opensBrowser` opens each page once. */
export function createLivePreviewPages(session: Invocation & Tell, opensBrowser: boolean) {
  const pages = new Map<string, { readonly path: string; html: string }>();
  let folder: Promise<string> | undefined;
  /** Messages in two folders may have the same file name, so a taken name gets a number. */
  const pathFor = (dir: string, name: string): string => {
    const path = join(dir, `${name}.html`);
    const isTaken = [...pages.values()].some((page) => page.path === path);
    return isTaken ? join(dir, `${name}-${pages.size + 1}.html`) : path;
  };
  const show = async (path: string): Promise<void> => {
    await session.info(`Preview: ${path}`);
    if (!opensBrowser) return;
    // Not awaited: some programs that open a page end only with the browser.
    void openPageFile(session.context, path).catch((error: unknown) => session.report(error));
  };
  return {
    /** `base` is the path of the message's files without the extension. */
    render: async (base: string, html: string): Promise<void> => {
      const known = pages.get(base);
      if (known === undefined && html.trim() === '') return;
      folder ??= createPreviewFolder(session.context.env);
      const path = known?.path ?? pathFor(await folder, basename(base));
      write(path, createPreviewPage(html, { allowsNetwork: true, refresh: REFRESH }));
      pages.set(base, { path, html });
      if (known === undefined) await show(path);
    },
    /** Stops the pages from reloading. Keeps their files. */
    end: (): void => {
      for (const { path, html } of pages.values()) {
        try {
          write(path, createPreviewPage(html, { allowsNetwork: true }));
        } catch (error) {
          // If the folder was deleted, there is nothing to reload.
          if (!(error instanceof FileError)) throw error;
        }
      }
    },
  };
}

/** Atomic, because a browser may read the page at any moment. */
const write = (path: string, page: string): void =>
  fillFile(createAtomicFile(path), (file) => file.write(page));

/**
 * The HTML is not trusted. A Content Security Policy at its start blocks scripts, frames, plug-ins and forms.
 * If `allowsNetwork` is false, it allows only images that the HTML itself contains. `refresh` is in seconds.
 */
export function createPreviewPage(
  html: string,
  { allowsNetwork, refresh }: { readonly allowsNetwork: boolean; readonly refresh?: number },
): string {
  const web = allowsNetwork ? ' https: http:' : '';
  const policy = [
    "default-src 'none'",
    `img-src data:${web}`,
    `style-src 'unsafe-inline'${web}`,
    `font-src data:${web}`,
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
  const again = refresh === undefined ? '' : `<meta http-equiv="refresh" content="${refresh}">`;
  const head = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">${again}`;
  const { doctype, refreshes } = placesIn(html);
  const pieces: string[] = [];
  let at = doctype;
  for (const { start, end } of refreshes) {
    pieces.push(html.slice(at, start));
    at = end;
  }
  return html.slice(0, doctype) + head + pieces.join('') + html.slice(at);
}

/** Finds the offset after the doctype (0 without one), and the tags that would redirect the browser. */
function placesIn(html: string): { readonly doctype: number; readonly refreshes: readonly Span[] } {
  let doctype: number | undefined;
  const refreshes: Span[] = [];
  const begin = (): void => {
    doctype ??= 0;
  };
  visitHtml(html, {
    onDoctype: ({ end }) => {
      doctype ??= end;
    },
    onText: (text) => {
      if (text.trim() !== '') begin();
    },
    onEndTag: begin,
    onStartTag: (tag) => {
      begin();
      if (tag.name === 'meta' && /refresh/i.test(tag.attribute('http-equiv') ?? ''))
        refreshes.push({ start: tag.start, end: tag.end });
    },
  });
  return { doctype: doctype ?? 0, refreshes };
}
