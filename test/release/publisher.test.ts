/** docs/install.md, "Make a release": addresses are set in one place, and no release has a placeholder. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { publisherOf } from '../../.config/release/publisher.js';
import about from '../../package.json' with { type: 'json' };

const real = { version: '1.2.3', homepage: 'https://github.com/team/svc', author: 'Team <svc@team.io>' };

describe('the addresses of a release', () => {
  it('come from package.json, and the files are below the homepage by default', () => {
    expect(publisherOf(real, { isTrial: false })).toEqual({
      homepage: 'https://github.com/team/svc',
      maintainer: 'Team <svc@team.io>',
      baseUrl: 'https://github.com/team/svc/releases/v1.2.3',
    });
    const baseUrl = 'https://files.team.io/svc';
    expect(publisherOf(real, { baseUrl, isTrial: false })).toMatchObject({ baseUrl });
  });

  it.each([
    [
      'homepage',
      { ...real, homepage: 'https://svc.example' },
      {},
      'homepage in package.json is https://svc.example',
    ],
    ['homepage', { ...real, homepage: 'https://www.example.com/svc' }, {}, 'https://www.example.com/svc'],
    ['maintainer', { ...real, author: 'Me <svc@localhost.invalid>' }, {}, 'author in package.json is Me'],
    ['maintainer', { ...real, author: 'Me <me@localhost>' }, {}, 'author in package.json is Me'],
    ['files', real, { baseUrl: 'https://files.example/svc' }, '--base-url is https://files.example/svc'],
  ])('of the %s may not be a placeholder', (_, manifest, flags, words) => {
    expect(() => publisherOf(manifest, { ...flags, isTrial: false })).toThrow(words);
    expect(publisherOf(manifest, { ...flags, isTrial: true })).toBeDefined();
  });

  it.each([
    ['.github/CODEOWNERS', '/.github/ @example/svc-maintainers\n', '@example/svc-maintainers'],
    ['examples/ci/github-actions.yml', 'uses: example/svc/.github/actions/campaign@v1\n', 'example/svc'],
    [
      'examples/ci/gitlab-ci.yml',
      '$CI_SERVER_FQDN/example/svc-component/campaign\n',
      'example/svc-component',
    ],
  ])('needs names of its own in %s', (path, text, name) => {
    const naming = (content: string, isTrial: boolean) => () =>
      publisherOf(real, { naming: { [path]: content }, isTrial });
    expect(naming(text, false)).toThrow(`${path} has ${name}`);
    expect(naming(text, true)()).toBeDefined();
    expect(naming(text.replace('example', 'team'), false)()).toBeDefined();
    const file = (at: string) => readFileSync(new URL(`../../${at}`, import.meta.url), 'utf8');
    expect(file(path)).toContain(name);
    expect(file('.config/release/release.js')).toContain(`'${path}'`);
  });

  it.each(['https://examples.io', 'https://github.com/example-team/svc', 'https://test-files.io/svc'])(
    '%s is no placeholder',
    (homepage) => expect(publisherOf({ ...real, homepage }, { isTrial: false })).toMatchObject({ homepage }),
  );

  it('stand in no other file of the release', () => {
    const files = ['linux', 'managers', 'release', 'statements'].map((name) => `.config/release/${name}.js`);
    const found = files.filter((file) =>
      /svc\.example|\.invalid/.test(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')),
    );
    expect(found).toEqual([]);
    expect([about.homepage, about.author]).toEqual([
      expect.stringMatching(/^https:/),
      expect.stringMatching(/@/),
    ]);
  });
});
