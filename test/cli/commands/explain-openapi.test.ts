/** Contract, "Clients and documents": `svc explain --openapi` and `--collection`. */
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { NOBODY, type Run, runCli } from '../../support/run-cli.ts';

const explain = (...words: readonly string[]) => runCli(['explain', ...words], { env: NOBODY });

describe.each([
  ['--openapi', 'components.schemas.FolderCreate'],
  ['--collection', '@'],
])('svc explain %s', (flag, part) => {
  let run: Run;
  beforeAll(async () => {
    run = await explain(flag);
  });

  it('prints JSON without a format, on a terminal too, and needs no profile', async () => {
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    const value = JSON.parse(run.stdout);
    expect(JSON.parse((await explain(flag, '-o', 'json')).stdout)).toEqual(value);
    const shown = await runCli(['explain', flag, '--no-pager'], { env: NOBODY, tty: true });
    expect(JSON.parse(shown.stdout)).toEqual(value);
  });

  it('prints YAML with -o yaml', async () => {
    // The whole OpenAPI document is in explain-openapi.deep.test.ts.
    const [asYaml, asJson] = [
      await explain(flag, '--query', part, '-o', 'yaml'),
      await explain(flag, '--query', part, '-o', 'json'),
    ];
    expect(Object.keys(JSON.parse(asJson.stdout)).length).toBeGreaterThan(1);
    expect(parse(asYaml.stdout)).toEqual(JSON.parse(asJson.stdout));
  });

  it('prints the same text every time', async () => {
    expect((await explain(flag)).stdout).toBe(run.stdout);
  });

  it('rejects an operand', async () => {
    const rejected = await explain(flag, 'task');
    expect(rejected.exitCode).toBe(2);
    expect(rejected.stderr).toContain(`cannot combine ${flag} with`);
  });
});

it('svc explain rejects --openapi together with --collection', async () => {
  const run = await explain('--openapi', '--collection');
  expect(run.exitCode).toBe(2);
  expect(run.stderr).toContain('cannot combine --openapi with --collection');
});

it('--query selects a part', async () => {
  const run = await explain('--openapi', '--query', 'info.version', '-o', 'json');
  expect(JSON.parse(run.stdout)).toBe('1.2');
});

it('a folder has the documented operations', async () => {
  const { paths, components } = JSON.parse((await explain('--openapi')).stdout);
  expect(Object.keys(paths['/v1/folder'])).toEqual(['get', 'head', 'post', 'put', 'delete']);
  const text = `${JSON.stringify({ post: paths['/v1/folder'].post, FolderCreate: components.schemas.FolderCreate }, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../golden/openapi-folder.json');
});
