/** The text of a file, taken into the bundle (.config/raw-text.js). */
declare module '*?text' {
  const text: string;
  export default text;
}
