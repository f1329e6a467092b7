/** Makes the start page of the site: three doors, a picture, and the way to everything else. */
import { html } from '../../src/kit/report/html-page.ts';
import { COMMANDS_PATH, writer } from './command-pages.ts';
import type { Links } from './markdown.ts';
import { linkBetween, type Page } from './page.ts';

interface Door {
  readonly title: string;
  readonly says: string;
  /** Each file with the text of its link. The first one is where the title leads. */
  readonly links: readonly (readonly [file: string, text: string])[];
}

const DOORS: readonly Door[] = [
  {
    title: 'Send safely',
    says: 'Schedule a message. Before svc sends anything, it shows the time, the audience and the cost. Until it goes out, you can take it back.',
    links: [
      ['docs/sending.md', 'Sending safely'],
      ['docs/tutorial.md', 'Tutorial: 15 minutes'],
      ['docs/campaigns.md', 'Campaigns in files, with approvals'],
    ],
  },
  {
    title: 'Rehearse',
    says: 'See a campaign happen in a copy of your account: who gets what and when, which rules follow, and what goes wrong. Nobody gets a message.',
    links: [
      ['docs/rehearse.md', 'Rehearse a campaign'],
      ['docs/sandbox.md', 'The sandbox, with a clock you move'],
      ['docs/ci.md', 'In a pull request'],
    ],
  },
  {
    title: 'Test a client',
    says: 'Run the whole service on your machine. Write a client in any language against it, see why a request was refused, and check what it does.',
    links: [
      ['docs/own-client.md', 'Your own client'],
      ['docs/from-curl.md', 'From curl to svc'],
      ['docs/team-sandbox.md', 'One sandbox for a team'],
    ],
  },
];

/** @param picture path of the picture in the site */
export function startPage(links: Links, picture: string): Page {
  const page = writer('index.html');
  const to = (file: string): string => {
    const path = links.pathOf(file);
    if (path === undefined) throw new Error(`the start page links to ${file}, which the site does not have`);
    return linkBetween(page.path, path);
  };
  const link = (file: string, text: string) => html`<a href="${to(file)}">${text}</a>`;
  const body = [
    html`<p>For operators who send campaigns, and for developers who script or test against the service. svc is the command line for a permission-based e-mail and SMS service. It covers the whole API, stops you before anything you can't undo, and includes the whole service as a sandbox.</p>
<ul class="doors">
${DOORS.map(
  ({ title, says, links: all }) => html`<li>
<b>${link(all[0]?.[0] ?? '', title)}</b>
<p>${says}</p>
<ul>
${all.map(([file, text]) => html`<li>${link(file, text)}</li>\n`)}</ul>
</li>
`,
)}</ul>
`,
    page.section('In a minute'),
    html`<p>${link('docs/install.md', 'Install svc')}, then let the demo take a campaign from message to outbox. It leaves nothing behind: ${page.command('svc demo', 'demo')}.</p>
<p><img src="${linkBetween(page.path, picture)}" alt="The sandbox's page of a message: how it looks, who received it, and what the recipient can do" loading="lazy"></p>
`,
    page.section('Find something'),
    html`<ul>
<li>${link('README.md', 'What svc is')}: what only svc has, and what it protects you from.</li>
<li>${page.link(COMMANDS_PATH, 'All commands')}: each with its flags, exit codes, and an example with its output.</li>
<li>${link('docs/troubleshooting.md', 'Troubleshooting')}: what to do about an error message or an exit code.</li>
<li>${link('docs/assistants.md', 'Assistants')}: let an assistant plan and rehearse, and never send.</li>
<li>${link('CHANGELOG.md', 'Changelog')}: what is new.</li>
</ul>
`,
  ];
  // Without a list of its headings beside it, the page has room for the doors.
  return { ...page.done(body), headings: [], title: 'svc', name: 'Overview', section: 'Start' };
}
