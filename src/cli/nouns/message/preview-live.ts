/** Pages of messages whose files are being written: a browser that shows one shows what was saved last. */
import { basename, join } from 'node:path';
import { createAtomicFile } from '../../../files/atomic-file.ts';
import { FileError } from '../../../files/errors.ts';
import type { Session } from '../../session/session.ts';
import { previewPage } from './preview-page.ts';
import { openPage, previewFolder } from './preview-shown.ts';

/** Seconds. A page without scripts can't be told that it is old. */
const REFRESH = 2;

export interface LivePreview {
  /** @param base of its files, by which a message is known; nothing is shown of one that never had HTML */
  readonly render: (base: string, html: string) => Promise<void>;
  /** The pages stay, and no browser reads them again and again. */
  readonly end: () => void;
}

/**
 * In a folder that nobody else can look into, which stays: nobody knows when the browser has read it.
 * @param open shows each page in the browser once, too
 */
export function createLivePreview(session: Session, open: boolean): LivePreview {
  const pages = new Map<string, { readonly path: string; html: string }>();
  let folder: Promise<string> | undefined;
  /** Files of one name may stand in two folders. */
  const pathFor = (dir: string, name: string): string => {
    const path = join(dir, `${name}.html`);
    const isTaken = [...pages.values()].some((page) => page.path === path);
    return isTaken ? join(dir, `${name}-${pages.size + 1}.html`) : path;
  };
  const show = async (path: string): Promise<void> => {
    await session.info(`Preview: ${path}`);
    if (!open) return;
    // Not waited for: some programs that open a page end only with the browser.
    void openPage(session.context, path).catch((error: unknown) => session.report(error));
  };
  return {
    render: async (base, html) => {
      const known = pages.get(base);
      if (known === undefined && html.trim() === '') return;
      folder ??= previewFolder(session.context.env);
      const path = known?.path ?? pathFor(await folder, basename(base));
      write(path, previewPage(html, { network: true, refresh: REFRESH }));
      pages.set(base, { path, html });
      if (known === undefined) await show(path);
    },
    end: () => {
      for (const { path, html } of pages.values()) {
        try {
          write(path, previewPage(html, { network: true }));
        } catch (error) {
          // Where the folder is gone there is nothing to read again.
          if (!(error instanceof FileError)) throw error;
        }
      }
    },
  };
}

/** Whole or not at all: a browser may read it at any moment. */
function write(path: string, page: string): void {
  const file = createAtomicFile(path);
  file.write(page);
  file.commit();
}
