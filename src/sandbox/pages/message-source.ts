/** Shows the stored source of a message by line, so that findings can link to their lines. */

import { lintOf, PARTS, storedEmail } from './message-lint.ts';
import type { PageCall, Shown } from './page.ts';
import { type Html, html, NONE } from './parts.ts';

/** Highest number of lines shown. More lines would make the page slow. */
const MOST_LINES = 5_000;

export async function source(call: PageCall, shown: Shown): Promise<Html> {
  const id = shown['message'];
  const stored = typeof id === 'number' ? await storedEmail(call, id) : undefined;
  if (!stored) return html`<p class="soft">The message that this was made of is gone.</p>`;
  const found = new Set((await lintOf(call, shown))?.findings.map(({ file, line }) => `${file}-${line}`));
  const parts = PARTS.filter((part) => stored[part] && (ALWAYS.includes(part) || found.has(`${part}-1`)));
  return html`${parts.map((part) => lines(part, String(stored[part]), found))}`;
}

const TITLES: Readonly<Record<(typeof PARTS)[number], string>> = {
  subject: 'Subject',
  fromname: 'Name of the sender',
  html: 'HTML part',
  text: 'Text part',
};
/** Parts that are always shown. The others are shown if they have findings. */
const ALWAYS: readonly string[] = ['html', 'text'];

function lines(part: (typeof PARTS)[number], text: string, found: ReadonlySet<string>): Html {
  const all = text.split('\n');
  const title = TITLES[part];
  return html`<h2 class="part">${title}</h2>
<div class="wide source" tabindex="0" role="group" aria-label="${title}"><ol>${all
    .slice(0, MOST_LINES)
    .map((line, at) => {
      const name = `${part}-${at + 1}`;
      return html`<li id="${name}"${found.has(name) ? html` class="found"` : NONE}><code>${line}</code></li>`;
    })}</ol></div>
${all.length > MOST_LINES ? html`<p class="soft">${all.length - MOST_LINES} more lines are not shown.</p>` : NONE}`;
}
