/** Opens a page of a sandbox in the browser. */
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { Session } from '../../session/session.ts';

/**
 * Opens the page. The link is a key for a minute, so no message of svc contains it.
 * @param otherwise what to do if there is no browser
 */
export async function openPage(session: Session, url: string, otherwise: string): Promise<void> {
  const { openInBrowser } = await import('../../outside/browser.ts');
  const { context } = session;
  const problem = await session.waiting('for the browser to open', () =>
    openInBrowser(url, context, context.signal),
  );
  if (problem === undefined) return;
  throw new CliError('no-browser', `cannot open the browser: ${problem}`, {
    exit: EXIT.failed,
    hint: `${otherwise} and open the link, or set BROWSER to the program to use`,
  });
}
