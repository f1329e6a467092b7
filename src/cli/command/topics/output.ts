import type { HelpPage } from '../help-page.ts';
import { items, section } from './section.ts';

// Contract, "Output", "Global flags".
export const OUTPUT: HelpPage = {
  summary: 'Formats, what of them is shown, and what goes where',
  usage: 'svc <noun> <verb> -o <format> [flags]',
  sections: [
    section(
      'Formats of -o',
      items([
        ['table', 'For people, and the default; an empty list is a line on stderr'],
        ['json', 'An array of a list, an object of one item; an empty list is []'],
        ['ndjson', 'A JSON object a line, as they come'],
        ['csv, tsv', 'With a header line, unless --no-header is given; null is an empty cell'],
        ['yaml', 'As JSON, in YAML'],
        ['id', 'Ids alone, a line each; of a rule kind:id'],
      ]),
    ),
    section(
      'What is shown',
      items([
        ['--json', 'Same as -o json; --json id,name shows these attributes'],
        ['--fields <a,b>', 'These attributes alone, in this order'],
        ['--query <expression>', 'What a JMESPath expression makes of the data; --fields comes after it'],
        ['--jq <path>', 'What a plain path of jq leads to, a line each: .[0].id, .[].name'],
        ['--wide', 'All columns of a table, and no text cut'],
        ['--csv-raw', 'Cells of csv and tsv as they are'],
        ['--plain', 'For screen readers: a line for each name and value, no colour, nothing drawn over'],
      ]),
    ),
    {
      heading: 'Where it goes',
      paragraphs: [
        'stdout has the data and nothing else. Questions, progress, notes and errors go to stderr; --quiet leaves out the notes.',
        'With -o json an error is one JSON object on stderr: {"error":{"kind":…,"exit":…,"message":…,"hint":…}}, with http and subcode where the service answered.',
        'The format comes from -o, else SVC_OUTPUT, else the profile.',
      ],
    },
    {
      heading: 'On a terminal',
      paragraphs: [
        'A table leaves out its last columns before it cuts a text, and a note says so; ids, times and states stay whole. Off a terminal nothing is left out or cut, and there is no colour.',
        'Names stand beside ids, and the newest 50 rows of a list are shown: --limit and --all show more.',
        'Output longer than the screen goes through SVC_PAGER, else PAGER, else less. --no-pager, or an empty SVC_PAGER, turns that off. Help goes through a pager only with --pager or SVC_PAGER.',
      ],
    },
    {
      heading: 'In a spreadsheet',
      paragraphs: [
        "A cell of csv or tsv that a spreadsheet would run as a formula begins with a ' as a guard; phone numbers stay as they are. --csv-raw leaves the guard out.",
      ],
    },
    {
      heading: 'Values',
      paragraphs: [
        'The formats other than table have the attributes by the names, types and nulls of the interface, unknown fields included. Numbers of any size are kept digit for digit. A table shows the state of a task as one word: scheduled, sending, completed, cancelled or stopped.',
      ],
    },
  ],
  examples: [
    'svc task list -o csv --fields id,name,scheduledtime',
    "svc folder list -o json --query '[].name'",
  ],
  notes: [],
};
