/**
 * Returns a plug-in that removes the places of packages and of declarations from source maps, and the whole map of a chunk without a module of ours:
 * half of their size. Node reads the maps only with `--debug`, where a stack says `readGlobalFlags (src/cli/command/globals.ts:83)`.
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
    },
  };
}

const isOurs = (id) => id.includes('/src/') && !id.includes('/node_modules/');
