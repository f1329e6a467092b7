import { describe, expect, it } from 'vitest';
import { canDraw, createDrawing, widthOf } from '../../../src/cli/output/redraw.ts';
import { createScreen } from '../../support/screen.ts';

describe('lines that are drawn over', () => {
  it('take the place of the ones before, whether more, fewer, longer or shorter', async () => {
    const screen = createScreen(40);
    await screen.write('$ svc task watch 12\n');
    const drawing = createDrawing(screen);
    await drawing.draw(['one', 'two', 'three']);
    await drawing.draw(['a longer one', 'b']);
    await drawing.draw(['c', 'd', 'e', 'f']);
    await drawing.end();
    await screen.write('$ ');
    expect(screen.frames).toMatchInlineSnapshot(`
      [
        "$ svc task watch 12
      ",
        "$ svc task watch 12
      one
      two
      three
      ",
        "$ svc task watch 12
      a longer one
      b
      ",
        "$ svc task watch 12
      c
      d
      e
      f
      ",
        "$ svc task watch 12
      c
      d
      e
      f
      $",
      ]
    `);
  });

  it('on a terminal that became narrower, where the old lines are broken', async () => {
    const screen = createScreen(20);
    let columns = 40;
    const stream = {
      isTTY: true,
      get columns() {
        return columns;
      },
      // A terminal that breaks lines anew shows 30 columns as two rows of 20 or fewer.
      write: screen.write,
    };
    const drawing = createDrawing(stream);
    await drawing.draw(['x'.repeat(30), 'short']);
    expect(screen.shown()).toBe(`${'x'.repeat(20)}\n${'x'.repeat(10)}\nshort\n`);
    columns = 20;
    await drawing.draw(['y']);
    expect(screen.shown()).toBe('y\n');
  });

  it("the terminal's own ^C is removed, and the next output has its own line", async () => {
    const screen = createScreen(40);
    const drawing = createDrawing(screen);
    await drawing.draw(['one', 'two']);
    await screen.write('^C');
    await drawing.end();
    await screen.write('svc: interrupted\n');
    expect(screen.shown()).toBe('one\ntwo\nsvc: interrupted\n');
  });

  it('clears nothing if nothing was drawn', async () => {
    const screen = createScreen(40);
    await createDrawing(screen).end();
    expect(screen.written()).toBe('');
  });

  it('the cursor is never hidden: no way to end leaves a terminal without one', async () => {
    const screen = createScreen(40);
    const drawing = createDrawing(screen);
    await drawing.draw(['one']);
    await drawing.end();
    expect(screen.written()).not.toContain('?25');
  });
});

it.each([
  [{ isTTY: true }, {}, false, true],
  [{ isTTY: true }, { TERM: 'dumb' }, false, false],
  [{ isTTY: true }, {}, true, false],
  [{ isTTY: false }, {}, false, false],
])('%j with %j, --plain %s: %s', (stream, env, plain, can) => {
  expect(canDraw(stream, env, plain)).toBe(can);
});

it('the last column is left free', () => {
  expect(widthOf({ columns: 80 })).toBe(79);
  expect(widthOf({ columns: undefined })).toBe(79);
  // A terminal that was given no size (script, docker exec).
  expect(widthOf({ columns: 0 })).toBe(79);
});
