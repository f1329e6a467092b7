/** Flags with values for the variables of campaign files. Commands that only read a file load no other code of campaigns for them. */

import { type Flag, fileFlag, repeatableTextFlag } from '../command/flag.ts';

export const setFlag = repeatableTextFlag('set', {
  describe: 'Value of a variable in the file (repeatable)',
  value: 'name=value',
});
export const valuesFlag: Flag<string | undefined> = {
  ...fileFlag('values', {
    describe: 'YAML file with values, also by company',
  }),
  completes: 'file',
};
export const envFlag = repeatableTextFlag('env', {
  describe: 'Environment variable that the file can use (repeatable)',
  value: 'name',
});

export const CAMPAIGN_VALUE_FLAGS = [setFlag, valuesFlag, envFlag];
