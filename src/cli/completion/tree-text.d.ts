/** Completion tree of each command, as JSON. `.config/completion-tree.js` creates this module during the build. */
declare module 'svc:completion-tree' {
  const trees: Readonly<Record<string, string>>;
  export default trees;
}
