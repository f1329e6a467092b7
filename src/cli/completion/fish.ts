import { type FlagWords, globals, type Place } from './tree.ts';

export function fishScript(places: readonly Place[]): string {
  return `# fish completion of svc. Made by: svc completion fish
# Load it:  svc completion fish | source

# The commands among the words before the cursor.
function __svc_place
    set -l place ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$place $word")
        if contains -- "$next" $__svc_places
            set place $next
        end
    end
    echo -- $place
end

function __svc_at
    test (__svc_place) = "$argv[1]"
end

set -g __svc_places ${places
    .filter(({ path }) => path !== '')
    .map(({ path }) => quoted(path))
    .join(' ')}

complete -c svc -e
complete -c svc -f
${globals.flatMap((flag) => flagLines(flag)).join('\n')}
${places.flatMap(placeLines).join('\n')}
`;
}

function placeLines({ path, commands, flags, values }: Place): readonly string[] {
  const at = `-n ${quoted(`__svc_at ${quoted(path)}`)}`;
  return [
    ...commands.map(({ name, summary }) => `complete -c svc ${at} -a ${name} -d ${quoted(summary)}`),
    ...(values.length === 0 ? [] : [`complete -c svc ${at} -a ${quoted(values.join(' '))}`]),
    ...flags.flatMap((flag) => flagLines(flag, at)),
  ];
}

function flagLines(
  { spellings, summary, takesValue, values, takesFile }: FlagWords,
  at = '',
): readonly string[] {
  const names = spellings.map((each) =>
    each.startsWith('--') ? `-l ${each.slice(2)}` : `-s ${each.slice(1)}`,
  );
  const value = !takesValue
    ? ''
    : takesFile
      ? ' -r -F'
      : values.length > 0
        ? ` -x -a ${quoted(values.join(' '))}`
        : ' -x';
  return [`complete -c svc ${at === '' ? '' : `${at} `}${names.join(' ')}${value} -d ${quoted(summary)}`];
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
