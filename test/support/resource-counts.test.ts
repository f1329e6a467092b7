import { describe, expect, it } from 'vitest';
import { countByResource, gapsOf, type Titled } from './resource-counts.ts';

const sandbox = (...titles: string[]): Titled => ({ file: 'test/sandbox/rules/x.test.ts', titles });
const cli = (...titles: string[]): Titled => ({ file: 'test/cli/x.test.ts', titles });

function counted(resource: string, ...tests: readonly Titled[]) {
  const own = countByResource(tests).find((each) => each.resource === resource);
  const methods = Object.entries(own?.methods ?? {}).filter(([, count]) => count > 0);
  return { ...Object.fromEntries(methods), ...(own?.cli ? { cli: own.cli } : {}) };
}

describe('a scenario counts for', () => {
  it.each<readonly [Titled, string, object]>([
    [sandbox('user PUT: "own record"', 'refuses'), 'user', { PUT: 1 }],
    [sandbox('user GET and HEAD', 'as sub'), 'user', { GET: 1, HEAD: 1 }],
    [sandbox('smsAutomation: methods', 'POST makes a rule'), 'smsAutomation', { POST: 1 }],
    [sandbox('outer', 'task POST: x', 'PUT of something'), 'task', { POST: 1 }],
    [sandbox('user GET: "PUT is quoted"', 'x'), 'user', { GET: 1 }],
    [sandbox('smsMessage POST: x', 'y'), 'sms', {}],
    [sandbox('sms POST: x', 'y'), 'smsMessage', {}],
    [sandbox('a user PUT', 'x'), 'user', {}],
    [sandbox('user', 'x'), 'user', {}],
    [cli('user PUT: x', 'y'), 'user', { cli: 1 }],
    [cli('svc dnc check', 'y'), 'doNotContact', { cli: 1 }],
    [cli('folder', 'GET: svc folder get News'), 'folder', { cli: 1 }],
    [cli('svc sms-message lint', 'y'), 'sms', {}],
    [{ file: 'test/client/x.test.ts', titles: ['user PUT: x', 'y'] }, 'user', {}],
  ])('%j for %s', (test, resource, expected) => {
    expect(counted(resource, test)).toEqual(expected);
  });
});

describe('a gap', () => {
  it('is a supported method without a scenario, but not an unsupported one', () => {
    const gaps = gapsOf(countByResource([sandbox('form GET: x', 'y'), sandbox('form HEAD: x', 'y')]));
    expect(gaps.filter((gap) => gap.endsWith(' form'))).toEqual(['DELETE form']);
    expect(gaps).toContain('POST task');
    expect(gaps).not.toContain('DELETE task');
  });
});
