/** Says who each page is for that is made from declarations. The first paragraph of the page begins with these words. */
import type { Heading } from '../../src/cli/command/command.ts';
import type { TopicName } from '../../src/cli/command/words.ts';

const BY_HEADING: Readonly<Record<Heading, string>> = {
  Sending: 'For operators who write messages and schedule sends.',
  Audience: 'For operators who look after lists, forms and Do Not Contact.',
  Automation: 'For operators who let rules act on clicks, opens, dates and messages.',
  Partner: 'For partners who manage several companies.',
  Tools: 'For everybody who uses svc.',
};

/** Commands with readers other than those of their heading in `svc help`. */
const BY_COMMAND: Readonly<Record<string, string>> = {
  sandbox: 'For everybody who rehearses campaigns or tests a client against a sandbox.',
  demo: 'For everybody who sees svc for the first time.',
  init: 'For everybody who sets up svc.',
  profile: 'For everybody who sets up svc.',
  doctor: 'For everybody who sets up svc.',
  plan: 'For teams that keep campaigns in files.',
  approve: 'For people who approve the campaigns of their team.',
  apply: 'For teams that keep campaigns in files.',
  export: 'For teams that keep campaigns in files.',
  audit: 'For people who are responsible for the messages of their team.',
  rehearse: 'For everybody who wants to see a campaign happen before it is sent.',
  test: 'For teams that test campaigns before they reach anybody, and in CI.',
  api: 'For developers who send requests by hand.',
  mcp: 'For everybody who lets an assistant work with svc.',
  agent: 'For everybody who lets an assistant work with svc.',
  completion: 'For people who adapt svc to their shell.',
};

/** Returns the audience of a command's page. @param name the first word of the command */
export const audienceOfCommand = (name: string, heading: Heading): string =>
  BY_COMMAND[name] ?? BY_HEADING[heading];

export const AUDIENCE_OF_TOPIC: Readonly<Record<TopicName, string>> = {
  commands: 'For everybody who looks for a command.',
  flags: 'For everybody who looks for a flag that all commands take.',
  aliases: 'For people who know other command lines.',
  time: 'For everybody who chooses when svc sends.',
  output: 'For scripts that read what svc prints, and the people who write them.',
  'exit-codes': 'For scripts that react to failures, and the people who write them.',
  environment: 'For everybody who sets up svc with variables.',
  ci: 'For everybody who runs svc in a pipeline.',
  safety: 'For operators who want to know what svc checks before it sends.',
  sandbox: 'For everybody who rehearses campaigns or tests a client.',
  budget: 'For operators who limit what a profile sends.',
  companies: 'For partners who run one command for many companies.',
  campaigns: 'For teams that keep campaigns in files.',
  lint: 'For people who write messages.',
};

/** Returns the audience of a resource's page. @param resource its name, such as `task`, or an empty text for the overview */
export const audienceOfResource = (resource: string): string =>
  resource === ''
    ? 'For everybody who reads or changes records of the service.'
    : resource === 'campaign'
      ? 'For everybody who writes a campaign file.'
      : `For everybody who reads or changes a record of the kind ${resource}.`;
