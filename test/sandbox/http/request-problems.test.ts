/** Contract, "The sandbox, for people and teams": `sandbox requests --explain` says what was wrong, whatever the answer holds. */
import { describe, expect, it } from 'vitest';
import { NEUTRAL_NAMING } from '../../../src/protocol/naming.ts';
import { ServiceError } from '../../../src/protocol/service-errors.ts';
import { problemsOf } from '../../../src/sandbox/http/request-problems.ts';
import { signing } from '../../support/signing.ts';

describe('the message of a refusal', () => {
  it.each<readonly [string, unknown, string]>([
    ['no details', undefined, 'Not Found'],
    ['null', null, 'Not Found'],
    ['a sentence', 'folder 7', 'Not Found: folder 7'],
    ['an id that a double cannot hold', { id: 9_007_199_254_740_993n }, 'Not Found: {"id":9007199254740993}'],
    ['a long text', 'x'.repeat(1000), `Not Found: ${'x'.repeat(289)}…`],
  ])('with %s as details', (_, additionalInformation, message) => {
    const error = new ServiceError(404, 'Not Found', { additionalInformation });
    expect(problemsOf(error, undefined, NEUTRAL_NAMING)).toEqual({ message, fields: [] });
  });

  it('of a HEAD, which has none, is what is known', () => {
    const error = new ServiceError(404, '', { additionalInformation: 'folder 7' });
    const { message, fields } = problemsOf(error, signing({ method: 'HEAD' }), NEUTRAL_NAMING);
    expect(message).toBe('folder 7');
    expect(fields).toEqual([{ field: 'path', sent: '/v1/folder', problem: 'folder 7' }]);
  });
});
