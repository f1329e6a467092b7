import { BUILD } from '../outside/build.ts';
import { isSingleExecutable } from '../outside/own-program.ts';

export function collectVersionInfo(version: string): Readonly<Record<string, unknown>> {
  const { platform, arch, versions } = process;
  const { commit, date, targets } = BUILD;
  const kind = isSingleExecutable() ? 'executable' : 'package';
  return { version, commit, date, kind, node: versions.node, platform, arch, targets };
}
