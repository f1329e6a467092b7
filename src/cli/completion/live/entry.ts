/** Bundle that `bin/complete.js` loads to answer a shell. It is separate, because the whole program is too slow. */
export { answerOf } from './answer.ts';
export { listAnew } from './list-anew.ts';
