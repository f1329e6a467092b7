import type { Input } from '../command/command.ts';
import { fileFlag } from '../command/flag.ts';
import { readAttributeNamingFile, type UncheckedNamingOverrides } from '../session/naming-file.ts';
import type { Invocation } from '../session/session.ts';

export const namingFileFlag = fileFlag('naming', {
  describe: 'JSON file with the names of HTTP headers and attributes that your service uses',
});

/** Reads the file that `--naming` names. Returns an empty object without the flag. @throws UsageError for an invalid file */
export async function readFileOfNamingFlag(
  session: Invocation,
  input: Input,
): Promise<{ readonly naming?: UncheckedNamingOverrides }> {
  const file = input.get(namingFileFlag);
  return file === undefined ? {} : { naming: await readAttributeNamingFile(session.context.cwd, file) };
}
