/** Flags with values for the variables of campaign files. Commands that only read a file load no other code of campaigns for them. */

import { repeatableTextFlag } from '../../command/flag.ts';

export const campaignVariableFlag = repeatableTextFlag('set', {
  describe: 'Value of a variable in the file (repeatable)',
  value: 'name=value',
});
export const allowedEnvironmentVariableFlag = repeatableTextFlag('env', {
  describe: 'Environment variable that the file can use (repeatable)',
  value: 'name',
});

export const CAMPAIGN_VALUE_FLAGS = [campaignVariableFlag, allowedEnvironmentVariableFlag];
