import { readDelimitedRecords } from '../../../client/bulk/records.ts';
import type { TextRecord } from '../../../client/bulk/unquoted-records.ts';
import type { ProfileCompany } from '../../../client/profiles/profile.ts';
import {
  companiesOfProfile,
  parseCompanyId,
  profileCompanyProblem,
  withProfileCompanies,
} from '../../../client/profiles/roster.ts';
import type { Finding } from '../../../kit/schema/resource.ts';
import { unescapeCsvFormula } from '../../../kit/text/csv.ts';
import type { AccountId } from '../../../service/auth/credentials.ts';
import type { Verb } from '../../command/command.ts';
import { InvalidInputError, UsageError } from '../../errors/errors.ts';
import { createItemResult } from '../../output/result.ts';
import { readText } from '../../request/input-text.ts';
import {
  createTextLinesOutcome,
  printNoteAboutWrite,
  shouldSummarizeWriteInOneLine,
} from '../../request/write-outcome.ts';
import { requirePartnerProfile } from './roster.ts';

const MAX_OCTETS = 1024 * 1024;

export const companyImport: Verb = {
  name: 'import',
  summary: 'Add or update companies from a CSV file',
  about:
    'Columns: id, name, tags, note; separate tags with spaces. svc company list -o csv prints this format. If a ' +
    'line is invalid, svc imports nothing',
  work: 'local',
  example: 'company import companies.csv',
  positionals: [{ name: 'file', describe: 'CSV file, or - for standard input', completes: 'file' }],
  flags: [],
  needsNoCompany: true,
  run: async (session, { positionals: [file = ''] }) => {
    const profile = await requirePartnerProfile(session);
    const text = await readText(session.context, file, MAX_OCTETS);
    const lines = await linesIn(text, file === '-' ? 'standard input' : file);
    const known = new Set(companiesOfProfile(profile).map(({ id }) => id));
    const updated = lines.filter(({ company: { id } }) => known.has(id)).length;
    const count = lines.length === 1 ? '1 company' : `${lines.length} companies`;
    const words = `add ${count} to the company list of profile ${profile.name}`;
    await (await session.store()).change(profile.name, words, (each) => {
      const before = new Map(companiesOfProfile(each).map((company) => [company.id, company]));
      return withProfileCompanies(
        each,
        lines.map(({ company, has }) => ({
          ...company,
          // Keeps the tags or the note if the file has no such column.
          tags: has.tags ? company.tags : (before.get(company.id)?.tags ?? []),
          note: has.note ? company.note : (before.get(company.id)?.note ?? null),
        })),
      );
    });
    const added = lines.length - updated;
    const line = `${added} added, ${updated} updated`;
    await printNoteAboutWrite(session, line);
    return (await shouldSummarizeWriteInOneLine(session))
      ? createTextLinesOutcome(session, `Company list of profile ${profile.name}: ${line}.`)
      : { result: createItemResult({ added, updated }) };
  },
};

interface Line {
  readonly company: ProfileCompany;
  readonly has: Readonly<Record<'tags' | 'note', boolean>>;
}

const NAMES = ['id', 'name', 'tags', 'note'] as const;

/** @throws InvalidInputError with a finding for each invalid line */
async function linesIn(text: string, name: string): Promise<readonly Line[]> {
  const records: TextRecord[] = [];
  for await (const record of readDelimitedRecords(octets(text), name, true)) records.push(record);
  const [first, ...rest] = records;
  if (first === undefined) throw new UsageError(`${name} is empty; nothing was changed`, { hint: HEADER });
  const isHeader = parseCompanyId(first.cells[0] ?? '') === undefined;
  const columns = isHeader ? columnsIn(first, name) : NAMES;
  const has = { tags: columns.includes('tags'), note: columns.includes('note') };
  const findings: Finding[] = [];
  const lines: Line[] = [];
  const seen = new Map<AccountId, number>();
  for (const record of isHeader ? rest : records) {
    const { line, cells } = record;
    const company = companyOfCells(cells, columns);
    const before = seen.get(company.id);
    const problem =
      cells.slice(columns.length).some((cell) => cell !== '') ||
      cells.length > Math.max(columns.length, NAMES.length)
        ? `has ${cells.length} cells; expected ${columns.length}`
        : before === undefined
          ? profileCompanyProblem(company)
          : `repeats the id of line ${before}`;
    if (problem !== undefined)
      findings.push({ attribute: `line ${line}`, reason: problem, value: cells.join(',') });
    seen.set(company.id, before ?? line);
    lines.push({ company, has });
  }
  if (findings.length > 0) throw new InvalidInputError(findings, 'nothing was changed');
  if (lines.length === 0) throw new UsageError(`${name} has no companies; nothing was changed`);
  return lines;
}

const HEADER = 'the first line must be id,name,tags,note';

function columnsIn({ cells }: TextRecord, name: string): readonly string[] {
  const columns = cells.map((cell) => cell.trim().toLowerCase());
  const strange = columns.find((column) => !NAMES.some((each) => each === column));
  if (strange !== undefined)
    throw new UsageError(
      `${name} has the unknown column ${JSON.stringify(strange.slice(0, 40))}; nothing was changed`,
      { hint: HEADER },
    );
  const missing = ['id', 'name'].find((each) => !columns.includes(each));
  const isTwice = new Set(columns).size < columns.length;
  if (missing !== undefined || isTwice)
    throw new UsageError(
      `${name} does not have the required columns: ${missing === undefined ? 'a column occurs twice' : `the column ${missing} is missing`}; nothing was changed`,
      { hint: HEADER },
    );
  return columns;
}

function companyOfCells(cells: readonly string[], columns: readonly string[]): ProfileCompany {
  const cell = (name: string): string => {
    const at = columns.indexOf(name);
    return at < 0 ? '' : unescapeCsvFormula(cells[at] ?? '');
  };
  const note = cell('note');
  return {
    // The check reports an invalid id.
    id: parseCompanyId(cell('id')) ?? Number.NaN,
    name: cell('name'),
    tags: [
      ...new Set(
        cell('tags')
          .split(/\s+/)
          .filter((tag) => tag !== ''),
      ),
    ],
    note: note === '' ? null : note,
  };
}

async function* octets(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text, 'utf8');
}
