/** Flags that several verbs of Do Not Contact share. */
import { switchFlag, textFlag } from '../../command/flag.ts';

export const columnFlag = textFlag('column', {
  describe: 'Column of the file to read, by name or number',
  value: 'name',
  defaultText: 'contactdata, email, domain, msisdn',
});

export const domainFlag = switchFlag('domain-ok', { describe: 'Allow --yes to confirm a whole domain' });
