/** Contract, "Assistants": setup "changes nothing else in the file", whatever the file looks like. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJsonConfiguration } from '../../../../src/cli/commands/agent/json-configuration.ts';
import { ConfigurationFault, type ServerEntry } from '../../../../src/cli/commands/agent/server-entry.ts';
import { readTomlConfiguration } from '../../../../src/cli/commands/agent/toml-configuration.ts';

const WANTED: ServerEntry = { command: '/usr/bin/node', args: ['/opt/svc', 'mcp', '--profile', 'p "1"'] };
const OTHER: ServerEntry = { ...WANTED, args: ['/opt/svc', 'mcp', '--sandbox-only'] };

const strict = (text: string) => readJsonConfiguration(text, 'mcpServers', { allowsComments: false });
const lenient = (text: string) => readJsonConfiguration(text, 'mcpServers', { allowsComments: true });
const toml = (text: string) => readTomlConfiguration(text, 'mcp_servers');

/** Lines that only one of the texts has, in order. */
function changedLines(before: string, after: string): { gone: string[]; fresh: string[] } {
  const [old, now] = [before.split('\n'), after.split('\n')];
  return {
    gone: old.filter((line) => !now.includes(line)),
    fresh: now.filter((line) => !old.includes(line)),
  };
}

describe('JSON', () => {
  const COMMENTED = [
    '// my servers',
    '{',
    '\t"theme": "dark", /* keep */',
    '\t"mcpServers": {',
    '\t\t"files": { "command": "npx", "args": ["-y", "files"] } // the files',
    '\t}',
    '}',
  ].join('\n');

  it('adds the entry with the indentation of the file, and keeps comments beside their members', () => {
    const added = lenient(COMMENTED).withEntry(WANTED);
    expect(changedLines(COMMENTED, added).gone).toEqual([
      '\t\t"files": { "command": "npx", "args": ["-y", "files"] } // the files',
    ]);
    expect(added).toContain(
      '["-y", "files"] }, // the files\n\t\t"svc": {\n\t\t\t"command": "/usr/bin/node",\n',
    );
  });

  it('keeps trailing commas, CRLF and the missing final newline', () => {
    const text = '{\r\n  "mcpServers": {\r\n    "a": {},\r\n  },\r\n}';
    const added = lenient(text).withEntry(WANTED);
    expect(added.replace(/"svc": \{[\s\S]*?\r\n {4}\},/, '')).toBe(
      '{\r\n  "mcpServers": {\r\n    "a": {},\r\n    \r\n  },\r\n}',
    );
    expect(added.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('keeps a file on one line on one line', () => {
    expect(strict('{"a":1,"mcpServers":{"b":{}}}').withEntry({ command: 'x', args: ['mcp'] })).toBe(
      '{"a":1,"mcpServers":{"b":{}, "svc": {"command":"x","args":["mcp"]}}}',
    );
  });

  it.each(['', '  \n', '{}', '{}\n', '{"mcpServers": {}}', '{\n  "mcpServers": {\n  }\n}\n'])(
    'fills %j',
    (text) => {
      const added = strict(text).withEntry(WANTED);
      expect(JSON.parse(added)).toEqual({ mcpServers: { svc: WANTED } });
      expect(strict(added).withEntry(WANTED)).toBe(added);
    },
  );

  it('changes only the members that differ, and keeps those of the user', () => {
    const text = strict(
      '{\n  "mcpServers": {\n    "svc": {"disabled": true, "command": "/usr/bin/node", "args": ["mcp"]}\n  }\n}\n',
    );
    expect(text.withEntry(OTHER)).toBe(
      '{\n  "mcpServers": {\n    "svc": {"disabled": true, "command": "/usr/bin/node", "args": ["/opt/svc","mcp","--sandbox-only"]}\n  }\n}\n',
    );
  });

  it.each([
    ['only', '{\n  "mcpServers": {\n    "svc": {"args": ["mcp"]}\n  }\n}\n', '{\n  "mcpServers": {}\n}\n'],
    ['first', '{ "mcpServers": { "svc": {}, "b": 1 } }', '{ "mcpServers": {  "b": 1 } }'],
    [
      'last',
      '{"mcpServers": {\n  "b": 1, // one\n  // ours\n  "svc": {} // two\n}}',
      '{"mcpServers": {\n  "b": 1 // one\n  // ours // two\n}}',
    ],
    [
      'middle',
      '{"mcpServers": {\n  "b": 1,\n  "svc": {}, // two\n  "c": 2\n}}',
      '{"mcpServers": {\n  "b": 1, // two\n  "c": 2\n}}',
    ],
    [
      'before a trailing comma',
      '{"mcpServers": {\n  "b": 1,\n  "svc": {},\n}}',
      '{"mcpServers": {\n  "b": 1,\n}}',
    ],
  ])('removes the %s server and no comment', (_, before, after) => {
    expect(lenient(before).withoutEntry()).toBe(after);
  });

  it.each([
    ['is not valid JSON (line 2)', '{\n  "a": }'],
    ['is not valid JSON (line 1)', '{"a": 1,}'],
    ['is not valid JSON (line 1)', '// note\n{}'],
    ['has no object at its top', '[]'],
    ['has a value mcpServers that is not a table of servers', '{"mcpServers": []}'],
    ['has a value mcpServers that is not a table of servers', '{"mcpServers": null}'],
    ['has a server svc that is not a table', '{"mcpServers": {"svc": "x"}}'],
  ])('%s', (message, text) => {
    expect(() => strict(text)).toThrow(new ConfigurationFault(message));
  });

  it('refuses to edit a file with two tables of servers, of which a client reads only one', () => {
    expect(() => strict('{"mcpServers": {"a": 1}, "mcpServers": {}}').withEntry(WANTED)).toThrow(
      ConfigurationFault,
    );
  });

  // Parsers of JSON read this member as the prototype of the object, so svc could not show that it is kept.
  it('refuses to edit a file with a member __proto__', () => {
    expect(() => strict('{"a": {"__proto__": {}}}').withEntry(WANTED)).toThrow(ConfigurationFault);
  });

  it('keeps every other value, for any file', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }),
        fc.option(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 })),
        fc.constantFrom(undefined, 1, 2, '\t'),
        (others, servers, indent) => {
          const { svc: _, ...kept } = servers ?? {};
          const { mcpServers: __, ...rest } = others;
          const before = { ...rest, ...(servers ? { mcpServers: kept } : {}) };
          const text = JSON.stringify(before, undefined, indent);
          fc.pre(!text.includes('__proto__'));
          const added = strict(text).withEntry(WANTED);
          expect(JSON.parse(added)).toEqual(
            JSON.parse(JSON.stringify({ ...before, mcpServers: { ...kept, svc: WANTED } })),
          );
          expect(strict(added).withEntry(WANTED)).toBe(added);
          expect(JSON.parse(strict(added).withoutEntry())).toEqual(
            JSON.parse(JSON.stringify({ ...before, mcpServers: kept })),
          );
        },
      ),
    );
  });
});

describe('TOML', () => {
  const MINE =
    '# mine\nmodel = "o3"\n\n[mcp_servers.files]\ncommand = "npx"\nargs = [\n  "-y",\n  "[mcp_servers.x]",\n]\n\n# colors\n[tui]\ntheme = "dark"\n';

  it('appends a table, and takes it out again without a trace', () => {
    const added = toml(MINE).withEntry(WANTED);
    expect(added).toBe(
      `${MINE}\n[mcp_servers.svc]\ncommand = "/usr/bin/node"\nargs = ["/opt/svc", "mcp", "--profile", "p \\"1\\""]\n`,
    );
    expect(toml(added).withoutEntry()).toBe(MINE);
  });

  it('ends an unfinished last line first, with the line end of the file', () => {
    expect(toml('a = 1\r\nb = 2').withEntry({ command: 'x', args: ['mcp'] })).toBe(
      'a = 1\r\nb = 2\r\n\r\n[mcp_servers.svc]\r\ncommand = "x"\r\nargs = ["mcp"]\r\n',
    );
    expect(toml('').withEntry({ command: 'x', args: [] })).toBe(
      '[mcp_servers.svc]\ncommand = "x"\nargs = []\n',
    );
  });

  const OURS =
    '[ mcp_servers . "svc" ] # ours\nargs = [\n  "mcp", # why\n]\nenabled = true\ncommand = "old"\n\n[mcp_servers.svc.env]\nA = "1"\n\n# colors\n[tui]\ntheme = "dark"\n';

  it('replaces the lines of the members that differ', () => {
    expect(toml(OURS).withEntry(OTHER)).toBe(
      '[ mcp_servers . "svc" ] # ours\nargs = ["/opt/svc", "mcp", "--sandbox-only"]\nenabled = true\ncommand = "/usr/bin/node"\n\n[mcp_servers.svc.env]\nA = "1"\n\n# colors\n[tui]\ntheme = "dark"\n',
    );
    const crlf = OURS.replaceAll('\n', '\r\n');
    expect(toml(crlf).withEntry(OTHER)).toBe(toml(OURS).withEntry(OTHER).replaceAll('\n', '\r\n'));
  });

  it('removes the table with its parts, and keeps comments of the next table', () => {
    expect(toml(OURS).withoutEntry()).toBe('\n\n# colors\n[tui]\ntheme = "dark"\n');
  });

  it.each([
    ['an inline table', 'mcp_servers = { svc = { command = "x", args = ["mcp"] } }\n'],
    ['a member', '[mcp_servers]\nsvc = { command = "x", args = ["mcp"] }\n'],
    ['a text that looks like it', 'note = """\n[mcp_servers.svc]\n"""\n[mcp_servers]\nsvc.args = ["mcp"]\n'],
  ])('does not edit an entry that is %s', (_, text) => {
    expect(() => toml(text).withEntry(OTHER)).toThrow(ConfigurationFault);
    expect(() => toml(text).withoutEntry()).toThrow(ConfigurationFault);
  });

  it('does not append to an inline table', () => {
    expect(() => toml('mcp_servers = { a = { command = "x" } }\n').withEntry(OTHER)).toThrow(
      ConfigurationFault,
    );
  });

  it.each([
    ['is not valid TOML (line 2)', 'a = 1\nb = \n'],
    ['has a value mcp_servers that is not a table of servers', 'mcp_servers = 1\n'],
  ])('%s', (message, text) => {
    expect(() => toml(text)).toThrow(new ConfigurationFault(message));
  });

  it('keeps dates, large numbers and any argument', () => {
    const text = 'at = 2026-12-01T09:00:00Z\nbig = 9223372036854775807\n';
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (args) => {
        fc.pre(args.every((each) => !/\p{Surrogate}/u.test(each)));
        const added = toml(text).withEntry({ command: 'x', args });
        expect(added.startsWith(text)).toBe(true);
        expect(toml(added).entry).toEqual({ command: 'x', args });
        expect(toml(added).withoutEntry()).toBe(text);
      }),
    );
  });
});
