/**
 * Returns a plug-in that removes the source map of each chunk without a module of ours: a third of their size. Node reads the maps only
 * with `--debug`, where a stack says `readGlobalFlags (src/cli/command/globals.ts:83)`.
 */
export function ownSourceMaps() {
  return {
    name: 'own-source-maps',
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
