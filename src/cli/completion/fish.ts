import { type FlagWords, globals, type Offered, operandArms, type Place } from './tree.ts';

export function fishScript(places: readonly Place[]): string {
  return `# fish completion of svc. Made by: svc completion fish
# Load it:  svc completion fish | source

# The commands among the words before the cursor, and how many other words stand after them.
function __svc_where
    set -l place ''
    set -l count 0
    set -l is_value 0
    for word in (commandline -opc)[2..-1]
        if test $is_value = 1
            set is_value 0
            continue
        end
        if string match -q -- '-*' $word
            contains -- $word $__svc_valued
            and set is_value 1
            continue
        end
        set -l next (string replace -r '^help (?=.)' '' -- (string trim -- "$place $word"))
        if contains -- "$next" $__svc_places
            set place $next
        else
            set count (math $count + 1)
        end
    end
    echo -- $place
    echo $count
end

function __svc_at
    set -l where (__svc_where)
    test "$where[1]" = "$argv[1]"
end

# Whether operand $argv[2] stands at place $argv[1]; * is any.
function __svc_operand
    set -l where (__svc_where)
    test "$where[1]" = "$argv[1]"; or return 1
    test "$argv[2]" = '*'; or test "$where[2]" = "$argv[2]"
end

# What svc knows of a kind: ids, with their names beside them.
function __svc_look_up
    set -l word (string replace -r -- '^--[^=]*=' '' (commandline -ct))
    set word (string unescape -- $word; or string replace -r -- '^["\\']' '' $word)
    command svc __complete $argv[1] "$word" (commandline -opc)[2..-1] 2>/dev/null </dev/null
end

set -g __svc_places ${places
    .filter(({ path }) => path !== '')
    .map(({ path }) => quoted(path))
    .join(' ')}
set -g __svc_valued ${valuedFlags(places).join(' ')}

complete -c svc -e
complete -c svc -f
${globals.flatMap((flag) => flagLines(flag)).join('\n')}
${places.flatMap(placeLines).join('\n')}
${operandArms(places, operandLine)}
`;
}

function placeLines({ path, commands, flags }: Place): readonly string[] {
  const at = `-n ${quoted(`__svc_at ${quoted(path)}`)}`;
  const first = `-n ${quoted(`__svc_operand ${quoted(path)} 0`)}`;
  return [
    ...commands.map(({ name, summary }) => `complete -c svc ${first} -a ${name} -d ${quoted(summary)}`),
    ...flags.flatMap((flag) => flagLines(flag, at)),
  ];
}

const operandLine = (path: string, index: string, operand: Offered): string =>
  `complete -c svc -n ${quoted(`__svc_operand ${quoted(path)} ${quoted(index)}`)} ${operand.takesFile ? '-F' : `-k -a ${quoted(wordsOf(operand))}`}`;

function flagLines(flag: FlagWords, at = ''): readonly string[] {
  const { spellings, summary, takesValue, takesFile } = flag;
  const names = spellings.map((each) =>
    each.startsWith('--') ? `-l ${each.slice(2)}` : `-s ${each.slice(1)}`,
  );
  const words = wordsOf(flag);
  const value = !takesValue ? '' : takesFile ? ' -r -F' : words === '' ? ' -x' : ` -x -k -a ${quoted(words)}`;
  return [`complete -c svc ${at === '' ? '' : `${at} `}${names.join(' ')}${value} -d ${quoted(summary)}`];
}

const wordsOf = ({ values, live }: Offered): string =>
  [...values, ...(live === undefined ? [] : [`(__svc_look_up ${live})`])].join(' ');

/** Returns the flags that take a value everywhere. */
function valuedFlags(places: readonly Place[]): readonly string[] {
  const flags = [...globals, ...places.flatMap((place) => place.flags)];
  const switches = new Set(
    flags.filter(({ takesValue }) => !takesValue).flatMap(({ spellings }) => spellings),
  );
  const valued = new Set(flags.filter(({ takesValue }) => takesValue).flatMap(({ spellings }) => spellings));
  return [...valued].filter((each) => !switches.has(each));
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
