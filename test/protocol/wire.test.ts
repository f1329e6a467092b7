/** Interface, "Requests": the path of a resource and of one record. */
import { expect, it } from 'vitest';
import type { Id } from '../../src/kit/schema/integer.ts';
import { pathOf } from '../../src/service/protocol/wire.ts';

it.each<readonly [string, Id | undefined, string]>([
  ['folder', undefined, '/v1/folder'],
  ['folder', 7, '/v1/folder/7'],
  ['folder', 9007199254740993n, '/v1/folder/9007199254740993'],
  ['subscriberProfileData', '2_1', '/v1/subscriberProfileData/2_1'],
  ['folder', 'a/b?c', '/v1/folder/a%2Fb%3Fc'],
])('%s %s', (resource, id, path) => {
  expect(pathOf(resource, id)).toBe(path);
});
