/** Flags that several verbs of Do Not Contact share. */
import { switchFlag, textFlag } from '../../command/flag.ts';

export const columnFlag = textFlag('column', {
  describe: 'Column to read, by name or number',
  value: 'name',
  defaultText: 'contactdata, email, domain, msisdn',
});

export const domainOkFlag = switchFlag('domain-ok', {
  describe: 'Let --yes confirm adding a whole domain to Do Not Contact',
});
