import { companiesFlags } from '../companies-flags.ts';
import { describeFlag } from '../flag.ts';
import { type HelpPage, helpItems, helpSection } from '../help-page.ts';

// Contract, "Partners and many companies".
export const COMPANIES: HelpPage = {
  summary: 'Run one command for many companies, as a partner',
  usage: 'svc <noun> <verb> --companies <selector> [flags]',
  sections: [
    helpSection(
      'Selectors, separated by commas',
      helpItems([
        ['12, "Harbour Coffee"', 'A company by id, or by name in the roster (svc company list)'],
        ['tag:uk', 'All companies with this tag'],
        ['all', 'All companies in the roster'],
        ['@FILE', 'A file with one id or name per line'],
        ['!12, !tag:closed', 'Excludes a company, in any position'],
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
    'Rows start with company_id and company. If a company fails, its error goes to stderr and svc continues: exit ' +
      '8.',
    'Commands that write need --write. svc asks you to type the number of companies; --yes confirms it.',
  ],
};
