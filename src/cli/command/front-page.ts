/** Builds the page that `svc` prints without arguments. It shows how to start, the everyday commands, and the names of all others. */
import { HEADINGS, type TopLevelCommandEntry } from './command.ts';
import type { HelpItem, HelpPage, HelpSection } from './help-page.ts';
import { TOPIC_NAMES } from './help-topic-names.ts';

const START: readonly HelpItem[] = [
  { term: 'demo', text: 'Watch a campaign go out in a temporary sandbox' },
  { term: 'init', text: 'Connect to the service or to a sandbox, step by step' },
  { term: 'sandbox start', text: 'Run a simulated service on this machine, to rehearse' },
];

const EVERYDAY: readonly HelpItem[] = [
  { term: 'email', text: 'Write, check and preview e-mail messages' },
  { term: 'task', text: 'Schedule a send, watch it, cancel it, read its report' },
  { term: 'plan, apply', text: 'Show what a campaign file would change, then apply it' },
  { term: 'automation', text: 'Manage rules that act on clicks, opens, dates and SMS' },
  { term: 'dnc', text: 'Manage addresses, domains and numbers you must not contact' },
  { term: 'log, undo, why', text: 'Show your changes, undo the last one, see what locks a record' },
];

const HELP: HelpItem = {
  term: 'help',
  text: 'Show help for a command or a topic, such as time or ci',
};

/** Returns the page that `svc` prints without arguments. It fits a terminal of 80 by 24, and names every command. */
export function helpFrontPage(entries: readonly TopLevelCommandEntry[]): HelpPage {
  const described = new Set(
    [...START, ...EVERYDAY].flatMap(({ term }) => term.split(', ').map((name) => name.split(' ')[0])),
  );
  const more = HEADINGS.map((heading): HelpItem => {
    const names = entries
      .filter((entry) => entry.heading === heading && !described.has(entry.name))
      .map(({ name }) => name);
    return { term: heading, text: names.join(', ') };
  });
  return {
    summary: 'Send permission-based e-mail and SMS, and rehearse sends in a sandbox',
    usage: 'svc <command> [id] [flags]',
    sections: [
      { heading: 'Start here', items: START },
      { heading: 'Everyday commands', items: EVERYDAY },
      { heading: 'More commands', items: more.filter(({ text }) => text !== '') },
    ],
    examples: [],
    notes: ['For one command, run svc <command> --help; for all, run svc help commands.'],
  };
}

/** Returns the page of `svc help commands`: every command with its summary, and the topics. */
export function commandsHelp(entries: readonly TopLevelCommandEntry[]): HelpPage {
  const sections = HEADINGS.map((heading): HelpSection => {
    const items = entries
      .filter((entry) => entry.heading === heading)
      .map(({ name, summary }) => ({ term: name, text: summary }));
    return { heading, items: heading === 'Tools' ? [...items, HELP] : items };
  });
  return {
    summary: 'All commands and help topics',
    usage: 'svc <command> [id] [flags]',
    sections,
    examples: ['svc folder list'],
    notes: [
      'Get started with svc init or svc demo. svc help flags lists the flags that every command takes.',
      `Help topics: ${TOPIC_NAMES.join(', ')}.`,
    ],
  };
}
