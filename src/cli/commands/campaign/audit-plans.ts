/** Finds the plans of `svc audit` in files and folders. */
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { NamedPlan } from '../../../campaign/audit.ts';
import { CampaignError } from '../../../campaign/errors.ts';
import { readPlanFile } from '../../../campaign/plan-file/read-plan-file.ts';
import { systemErrorReason } from '../../../files/errors.ts';
import { UsageError } from '../../errors/errors.ts';

interface ReadPlans {
  /**
   * Plans that `svc audit` compares with the tasks and rules of the service. Each plan file is listed once, even if several of the given
   * paths lead to the file.
   */
  readonly plans: readonly NamedPlan[];
  /** Messages about unusable plans that were found in a folder, each with the reason. */
  readonly faults: readonly string[];
}

/**
 * Reads the plans at the paths. In a folder and its subfolders, every `.plan` file and every file with a signature next to it is read as a
 * plan. Copies of a plan count separately, because each copy has its own signatures.
 * @throws CampaignError if a file in `paths` is not a plan; UsageError if a path can't be read
 */
export async function readPlans(cwd: string, paths: readonly string[]): Promise<ReadPlans> {
  const plans = new Map<string, NamedPlan>();
  const faults: string[] = [];
  for (const path of paths) {
    for (const name of filesIn(cwd, path)) {
      try {
        plans.set(resolve(cwd, name), { name, plan: readPlanFile(resolve(cwd, name), name) });
      } catch (error) {
        if (!(error instanceof CampaignError) || name === path) throw error;
        faults.push(`${name}: ${error.message}`);
      }
    }
  }
  return { plans: [...plans.values()], faults };
}

function filesIn(cwd: string, path: string): readonly string[] {
  try {
    if (!statSync(resolve(cwd, path)).isDirectory()) return [path];
    const entries = readdirSync(resolve(cwd, path), { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    const isPlan = (name: string): boolean =>
      name.endsWith('.plan') || names.some((each) => each.startsWith(`${name}.`) && each.endsWith('.sig'));
    const own = names
      .filter((name) => !name.endsWith('.sig') && isPlan(name))
      .map((name) => join(path, name));
    const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
    return [...own.sort(), ...below.sort().flatMap((folder) => filesIn(cwd, folder))];
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${systemErrorReason(error)}`);
  }
}
