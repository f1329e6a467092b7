/** `sandbox snapshot …`: copies of all that the sandbox holds. */

import type { Group } from '../../command/command.ts';
import type { Column } from '../../output/result.ts';
import { controlVerb, type Param } from './control-verb.ts';

const name: Param = { name: 'name', kind: 'text', describe: 'Lower-case letters, digits, - and _' };
const columns: readonly Column[] = [
  { name: 'name' },
  { name: 'octets', kind: 'number' },
  { name: 'saved', kind: 'timestamp' },
];

export const snapshot: Group = {
  name: 'snapshot',
  summary: 'Save the whole sandbox, and go back to it',
  commands: [
    controlVerb({
      operation: 'snapshot save',
      summary: 'Save all that the sandbox holds, keys and clock included',
      example: 'snapshot save before-campaign',
      positional: name,
      columns,
    }),
    controlVerb({
      operation: 'snapshot restore',
      summary: 'Put a snapshot in the place of what the sandbox holds',
      example: 'snapshot restore before-campaign',
      positional: name,
      columns: [{ name: 'name' }, { name: 'time', kind: 'timestamp' }],
      destroys: (which) => `replace all data of the sandbox with the snapshot ${which}`,
    }),
    controlVerb({
      operation: 'snapshot list',
      summary: 'List the snapshots',
      example: 'snapshot list',
      columns,
      empty: 'There are no snapshots yet.',
    }),
    controlVerb({
      operation: 'snapshot delete',
      summary: 'Delete a snapshot',
      example: 'snapshot delete before-campaign',
      positional: name,
      columns: [{ name: 'name' }],
      destroys: (which) => `delete the snapshot ${which}`,
    }),
  ],
};
