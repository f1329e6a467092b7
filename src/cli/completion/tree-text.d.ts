/** Tree of completion by command, each as JSON. `.config/completion-tree.js` makes it during the build. */
declare module 'svc:completion-tree' {
  const trees: Readonly<Record<string, string>>;
  export default trees;
}
