import { type HelpPage, helpItems, helpSection } from '../help-page.ts';

// Contract, "Output", "Global flags".
export const OUTPUT_TOPIC: HelpPage = {
  summary: 'Output formats and filters; stdout and stderr',
  usage: 'svc <noun> <verb> -o <format> [flags]',
  sections: [
    helpSection(
      'Formats of -o',
      helpItems([
        ['table', 'Tables for people (default). If a list is empty, svc prints a note on stderr'],
        ['json', 'A JSON array for a list (empty: []), or a JSON object for a single record'],
        ['ndjson', 'One JSON object per line; svc prints each line as soon as it is ready'],
        [
          'csv, tsv',
          'Rows for spreadsheets, with a header line unless you add --no-header; a null becomes an empty cell',
        ],
        ['yaml', 'The same data as -o json, written as YAML'],
        [
          'id',
          'Only the ids of the records, one per line; the id of a rule includes its kind, such as click:3',
        ],
      ]),
    ),
    helpSection(
      'Choose what to show',
      helpItems([
        ['--json', 'Prints JSON, like -o json; --json id,name prints only these attributes'],
        ['--fields <a,b>', 'Shows only the attributes that you list, in your order'],
        [
          '--query <expression>',
          'Prints the result of a JMESPath expression; --fields then selects attributes of this result',
        ],
        [
          '--jq <path>',
          'Prints the result of a simple jq path, such as .[0].id or .[].name, one value per line',
        ],
        ['--wide', 'Shows all columns of a table, and the whole text of each cell'],
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
        'svc uses the format of -o. Without -o, it uses SVC_OUTPUT, or else the setting output of the profile.',
      ],
    },
    {
      heading: 'On a terminal',
      paragraphs: [
        'If a table is too wide, svc shortens long texts, hides the least important columns, and prints a note. It never shortens ' +
          'ids, times and states. Without a terminal, svc shortens and hides nothing, and uses no color.',
        'On a terminal, lists show the newest 50 rows, with names next to ids. To see more, use --limit or --all.',
        'svc shows long output in a pager: the program in SVC_PAGER, or else in PAGER, or else less. To turn the pager off, use ' +
          '--no-pager or an empty SVC_PAGER. Help uses a pager only with --pager or SVC_PAGER.',
      ],
    },
    {
      heading: 'In a spreadsheet',
      paragraphs: [
        "In csv and tsv, svc puts a ' before cells that a spreadsheet would run as a formula, but not before phone " +
          "numbers. With --csv-raw, svc adds no '.",
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
