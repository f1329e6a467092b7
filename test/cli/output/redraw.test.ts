import { describe, expect, it } from 'vitest';
import { canRedrawLines, createRedrawnLines, usableTerminalColumns } from '../../../src/cli/output/redraw.ts';
import { createScreen } from '../../support/screen.ts';

describe('redrawn lines', () => {
  it('replace the previous ones, whether more, fewer, longer or shorter', async () => {
    const screen = createScreen(40);
    await screen.write('$ svc task watch 12\n');
    const drawing = createRedrawnLines(screen);
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

  it('replace the previous ones after the terminal became narrower and broke them', async () => {
    const screen = createScreen(20);
    let columns = 40;
    const stream = {
      isTTY: true,
      get columns() {
        return columns;
      },
      // A terminal that wraps lines again shows 30 columns as two rows of at most 20.
      write: screen.write,
    };
    const drawing = createRedrawnLines(stream);
    await drawing.draw(['x'.repeat(30), 'short']);
    expect(screen.shown()).toBe(`${'x'.repeat(20)}\n${'x'.repeat(10)}\nshort\n`);
    columns = 20;
    await drawing.draw(['y']);
    expect(screen.shown()).toBe('y\n');
  });

  it("remove the terminal's own ^C, and the next output starts on its own line", async () => {
    const screen = createScreen(40);
    const drawing = createRedrawnLines(screen);
    await drawing.draw(['one', 'two']);
    await screen.write('^C');
    await drawing.end();
    await screen.write('svc: interrupted\n');
    expect(screen.shown()).toBe('one\ntwo\nsvc: interrupted\n');
  });

  it('remove nothing if nothing was drawn', async () => {
    const screen = createScreen(40);
    await createRedrawnLines(screen).end();
    expect(screen.written()).toBe('');
  });

  it('never hide the cursor, so the terminal has a cursor however svc ends', async () => {
    const screen = createScreen(40);
    const drawing = createRedrawnLines(screen);
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
])('%j with %j and --plain %s gives %s', (stream, env, plain, can) => {
  expect(canRedrawLines(stream, env, plain)).toBe(can);
});

it('leaves the last column empty', () => {
  expect(usableTerminalColumns({ columns: 80 })).toBe(79);
  expect(usableTerminalColumns({ columns: undefined })).toBe(79);
  // A terminal without a known size (script, docker exec).
  expect(usableTerminalColumns({ columns: 0 })).toBe(79);
});
