import { type HelpPage, helpItems, helpSection } from '../help-page.ts';

// Contract, "Output", "Global flags".
export const OUTPUT_TOPIC: HelpPage = {
  summary: 'Output formats and filters; stdout and stderr',
  usage: 'svc <noun> <verb> -o <format> [flags]',
  sections: [
    helpSection(
      'Formats of -o',
      helpItems([
        ['table', 'Tables for people (default); for an empty list, a note on stderr'],
        ['json', 'An array for a list, an object for one item; an empty list is []'],
        ['ndjson', 'One JSON object per line, streamed'],
        ['csv, tsv', 'With a header line unless you add --no-header; null is an empty cell'],
        ['yaml', 'YAML with the same data as json'],
        ['id', 'Only ids, one per line; for a rule, kind:id'],
      ]),
    ),
    helpSection(
      'Choose what to show',
      helpItems([
        ['--json', 'Prints JSON, like -o json; --json id,name selects attributes'],
        ['--fields <a,b>', 'Shows only these attributes, in this order'],
        ['--query <expression>', 'Result of a JMESPath expression; --fields then applies to the result'],
        ['--jq <path>', 'Result of a simple jq path, one value per line: .[0].id, .[].name'],
        ['--wide', 'All columns of a table, without cutting text'],
        ['--csv-raw', 'Does not escape cells that look like formulas (csv and tsv)'],
        ['--plain', 'For screen readers: one name and value per line, no color, no redrawn lines'],
      ]),
    ),
    {
      heading: 'Streams',
      paragraphs: [
        'stdout contains only data. Prompts, progress, notes and errors go to stderr; --quiet hides the notes.',
        'With -o json, an error is one JSON object on stderr: {"error":{"kind":…,"exit":…,"message":…,"hint":…}}, with ' +
          'http and subcode if the service responded.',
        'The first of these that is set decides the format: -o, SVC_OUTPUT, the profile.',
      ],
    },
    {
      heading: 'On a terminal',
      paragraphs: [
        'If a table is too wide, long texts are cut, the least important columns are hidden, and a note says so. Ids, times and ' +
          'states are never cut. Without a terminal, nothing is hidden or cut, and there is no color.',
        'On a terminal, lists show the newest 50 rows, with names next to ids. To see more, use --limit or --all.',
        'Long output goes through SVC_PAGER, then PAGER, then less. To turn the pager off, use --no-pager or an empty ' +
          'SVC_PAGER. Help uses a pager only with --pager or SVC_PAGER.',
      ],
    },
    {
      heading: 'In a spreadsheet',
      paragraphs: [
        "In csv and tsv, svc puts a ' before cells that a spreadsheet would run as a formula, but not before phone " +
          'numbers. --csv-raw turns that off.',
      ],
    },
    {
      heading: 'Values',
      paragraphs: [
        'Formats other than table use the attribute names, types and nulls of the API, including unknown fields, ' +
          'and keep every digit of a number. A table shows the state of a task in one word: scheduled, sending, ' +
          'completed, cancelled or stopped.',
      ],
    },
  ],
  examples: [
    'svc task list -o csv --fields id,name,scheduledtime',
    "svc folder list -o json --query '[].name'",
  ],
  notes: [],
};
