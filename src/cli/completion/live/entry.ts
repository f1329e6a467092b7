/** All that `bin/complete.js` loads to answer a shell: a bundle of its own, since the whole program takes too long. */
export { answerOf } from './answer.ts';
export { listAnew } from './list-anew.ts';
