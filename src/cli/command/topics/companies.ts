import { companiesFlags } from '../companies-flags.ts';
import { describeFlag } from '../flag.ts';
import type { HelpPage } from '../help-page.ts';
import { items, section } from './section.ts';

// Contract, "Partners and many companies".
export const COMPANIES: HelpPage = {
  summary: 'How a partner runs one command over many companies',
  usage: 'svc <noun> <verb> --companies <selector> [flags]',
  sections: [
    section(
      'Selectors, separated by commas',
      items([
        ['12, "Harbour Coffee"', 'A company by its id, or by its name in the roster (svc company list)'],
        ['tag:uk', 'All companies of the roster with this tag'],
        ['all', 'All companies of the roster'],
        ['@FILE', 'One id or name a line'],
        ['!12, !tag:closed', 'Takes out, wherever it stands'],
      ]),
    ),
    {
      heading: 'Flags',
      items: companiesFlags.map((flag) => ({
        term: `--${flag.name}${flag.value === undefined ? '' : ` <${flag.value}>`}`,
        text: describeFlag(flag),
      })),
    },
  ],
  examples: ['svc folder list --companies tag:uk -o json'],
  notes: [
    'Rows begin with company_id and company. A company that fails is an error on stderr, and the others go on: exit 8.',
    'What writes needs --write, and asks how many companies are meant; elsewhere --yes says it.',
  ],
};
