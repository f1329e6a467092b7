/** Writes preview pages of message files that the user is editing. An open page reloads in the browser every few seconds. */
import { basename, join } from 'node:path';
import { createAtomicFile } from '../../../files/atomic-file.ts';
import { FileError } from '../../../files/errors.ts';
import type { Session } from '../../session/session.ts';
import { createPreviewFolder, openPageFile } from './preview-in-browser.ts';
import { createPreviewPage } from './preview-page.ts';

/** Seconds between two reloads of a page. A page without scripts cannot be told about a change, so it reloads regularly. */
const REFRESH = 2;

export interface LivePreviewPages {
  /**
   * Writes the preview page of a message. Writes no page until the message has HTML for the first time.
   * @param base the path of the message's files without the file extension
   */
  readonly render: (base: string, html: string) => Promise<void>;
  /** Stops the pages from reloading. Keeps their files. */
  readonly end: () => void;
}

/**
 * Creates the previews in a private folder. svc does not delete the folder, because it cannot know when the browser has read the pages.
 * @param opensBrowser true to open each page in the browser once
 */
export function createLivePreviewPages(session: Session, opensBrowser: boolean): LivePreviewPages {
  const pages = new Map<string, { readonly path: string; html: string }>();
  let folder: Promise<string> | undefined;
  /**
   * Returns the path of a preview page. Adds a number if another page has the same name, because messages in two folders may have the
   * same file name.
   */
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
    render: async (base, html) => {
      const known = pages.get(base);
      if (known === undefined && html.trim() === '') return;
      folder ??= createPreviewFolder(session.context.env);
      const path = known?.path ?? pathFor(await folder, basename(base));
      write(path, createPreviewPage(html, { allowsNetwork: true, refresh: REFRESH }));
      pages.set(base, { path, html });
      if (known === undefined) await show(path);
    },
    end: () => {
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

/** Writes the page atomically, because a browser may read it at any moment. */
function write(path: string, page: string): void {
  const file = createAtomicFile(path);
  file.write(page);
  file.commit();
}
