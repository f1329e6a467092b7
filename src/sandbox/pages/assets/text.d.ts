/** The text of a file, included in the bundle (.config/raw-text.js). */
declare module '*?text' {
  const text: string;
  export default text;
}
