import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/resources/catalogue.ts';
import { NOBODY, runCli } from '../../support/run-cli.ts';

const explain = (...words: readonly string[]) => runCli(['explain', ...words, '-o', 'json'], { env: NOBODY });

describe('svc explain', () => {
  it('alone lists every resource with its methods', async () => {
    const rows = JSON.parse((await explain()).stdout);
    expect(rows).toHaveLength(catalogue.length);
    expect(rows).toContainEqual(
      expect.objectContaining({ resource: 'task', noun: 'task', methods: 'GET HEAD POST PUT' }),
    );
  });

  it.each(catalogue.map(({ name, fields }) => [name, Object.keys(fields)] as const))(
    '%s tells each field',
    async (name, fields) => {
      const rows: { field: string }[] = JSON.parse((await explain(name)).stdout);
      expect(rows.map(({ field }) => field)).toEqual(fields);
    },
  );

  it('a field: type, marks, presence, default, limits and the rules that look at it', async () => {
    const run = await explain('task.list_id');
    expect(JSON.parse(run.stdout)).toEqual({
      resource: 'task',
      field: 'list_id',
      type: 'int/null',
      marks: 'F',
      POST: 'required',
      PUT: 'optional',
      default: '',
      describe: 'List that it goes to',
      refersTo: 'list',
      flags: ['--list'],
      rules: ['Exactly one of list_id and search_id must be non-null (Endpoints, task)'],
    });
  });

  it.each([
    ['folder.name', { octets: [1, 40], marks: 'FS', POST: 'required' }],
    ['sms-destination.keyword', { PUT: 'optional', POST: '' }],
    ['user.isadmin', { POST: 'partner', default: false }],
    ['subscription.actiontimediff', { unit: 'minutes' }],
    ['dateAutomation.actiontimediff', { unit: 'seconds' }],
    ['account.folderrestrict', { deprecated: true }],
  ])('%s', async (what, facts) => {
    expect(JSON.parse((await explain(what)).stdout)).toMatchObject(facts);
  });

  it.each([
    ['nothing', 'there is no resource nothing'],
    ['folder.nothing', 'folder has no field nothing'],
    ['folder.__proto__', 'folder has no field __proto__'],
  ])('%s: exit 2 with what there is', async (what, message) => {
    const run = await explain(what);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse(run.stderr).error).toMatchObject({ message, hint: expect.stringContaining(': ') });
  });
});
