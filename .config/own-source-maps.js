import { decode, encode } from '@jridgewell/sourcemap-codec';

/**
 * Returns a plug-in that removes the places of packages and of declarations from source maps, and the whole map of a chunk without a module of ours:
 * half of their size. A map has lines and names, and no columns. Node reads the maps only with `--debug`, where a stack says `readGlobalFlags (src/cli/command/globals.ts:83)`.
 */
export function ownSourceMaps() {
  return {
    name: 'own-source-maps',
    transform: {
      filter: {
        id: /\/node_modules\/|\/src\/(service\/(explanations|resources|protocol\/control)|cli\/command\/(topics|meaning)|sandbox\/(seed|store\/schema))\//,
      },
      handler: (code) => ({ code, map: { version: 3, names: [], sources: [], mappings: '' } }),
    },
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk' || chunk.moduleIds.some(isOurs)) continue;
        chunk.code = chunk.code.replace(/\n?\/\/# sourceMappingURL=\S+\n?$/, '\n');
        delete bundle[`${chunk.fileName}.map`];
      }
      for (const file of Object.values(bundle))
        if (file.type === 'asset' && file.fileName.endsWith('.map'))
          file.source = withLinesOnly(String(file.source));
    },
  };
}

/** Keeps the places with a name, and the first one of each line of a source. */
function withLinesOnly(text) {
  const map = JSON.parse(text);
  const lines = decode(map.mappings).map((segments) =>
    segments
      .filter(([, source, line, , name], at) => {
        const before = segments[at - 1];
        return name !== undefined || before === undefined || before[1] !== source || before[2] !== line;
      })
      .map(([column, source, line, , ...name]) =>
        source === undefined ? [column] : [column, source, line, 0, ...name],
      ),
  );
  return JSON.stringify({ ...map, mappings: encode(lines) });
}

const isOurs = (id) => id.includes('/src/') && !id.includes('/node_modules/');
