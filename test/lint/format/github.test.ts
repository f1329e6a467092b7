/** docs.github.com, "Workflow commands for GitHub Actions"; the escapes are those of @actions/core, command.ts. */
import { describe, expect, it } from 'vitest';
import { formatFindingsForGithub } from '../../../src/service/lint/ci-formats.ts';
import { FINDINGS } from './findings.ts';

describe('findings for GitHub Actions', () => {
  it('are a command each, with file, line and column, and the rule as its title', () => {
    expect(formatFindingsForGithub(FINDINGS).split('\n')).toEqual([
      '::warning file=mails/spring sale%2C 100%25.html,line=12,col=5,title=image-without-alt::The image has no alt. Write alt="".',
      '::error title=sender::Ends in 100%25%0D%0A::error::no, "<b>" & ]]> \u0007\ud800,:',
      '::warning file=a.txt,title=no-unsubscribe::None.',
      '::notice title=no-title::None.',
      '',
    ]);
  });

  it('are empty without findings', () => {
    expect(formatFindingsForGithub([])).toBe('');
  });
});
