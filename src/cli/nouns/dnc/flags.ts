/** Flags that several verbs of Do Not Contact share. */
import { switchFlag, textFlag } from '../../command/flag.ts';

export const columnFlag = textFlag('column', {
  describe: 'Column to read, by name or number',
  value: 'name',
  defaultText: 'contactdata, email, domain, msisdn',
});

export const allowAddingWholeDomainsFlag = switchFlag('domain-ok', {
  describe: 'Allow --yes to add a whole domain, such as example.com, to Do Not Contact',
});
