import { companiesFlags } from '../companies-flags.ts';
import { describeFlag } from '../flag.ts';
import { type HelpPage, helpItems, helpSection } from '../help-page.ts';

// Contract, "Partners and many companies".
export const COMPANIES_TOPIC: HelpPage = {
  summary: 'Run one command for many companies, as a partner',
  usage: 'svc <noun> <verb> --companies <selector> [flags]',
  sections: [
    helpSection(
      'Selectors that choose companies, separated by commas',
      helpItems([
        ['12, "Harbour Coffee"', 'A company by its id or name; svc company list shows both'],
        ['tag:uk', 'All companies with this tag'],
        ['all', 'All companies that svc company list shows'],
        ['@FILE', 'A file with one id or name per line'],
        ['!12, !tag:closed', 'Excludes a company; can be anywhere in the list'],
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
    'Each row begins with company_id and company. If the command fails for a company, the error goes to stderr, svc continues with the next company, and the exit code is 8.',
    'Commands that write need --write. svc then asks you to type the number of companies. With --yes, svc does not ask.',
  ],
};
