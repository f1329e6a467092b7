import { type FlagWords, globals, type Place, valueArms } from './tree.ts';

/** A function for \`fpath\`, and a file that can be sourced. */
export function zshScript(places: readonly Place[]): string {
  const { ofGlobals, ofPlaces } = valueArms(places, flagArm);
  return `#compdef svc
# zsh completion of svc. Made by: svc completion zsh
# Load it: put this file as _svc into a folder of $fpath, or: source <(svc completion zsh)

# reply becomes what can follow at place $1, as name:description.
_svc_commands() {
  reply=()
  case "$1" in
${arms(places, ({ commands }) => commands.map(({ name, summary }) => described(name, summary)))}
  esac
}

_svc_flags() {
  reply=()
  case "$1" in
${arms(places, ({ flags }) => flags.flatMap(describedFlag))}
  esac
  reply+=(${globals.flatMap(describedFlag).join(' ')})
}

_svc_values() {
  reply=()
  case "$1" in
${arms(places, ({ values }) => values.map(quoted))}
  esac
}

# reply becomes the values of flag $2 at place $1, or @file. Fails where the flag takes none.
_svc_flag_values() {
  reply=()
  case "$2" in
${ofGlobals}
  esac
  case "$1 $2" in
${ofPlaces}
  esac
  return 1
}

# place becomes the commands among the words, up to the one before the cursor.
_svc_place() {
  local word
  place=''
  for word in "$@"; do
    _svc_commands "$place"
    if (( \${reply[(I)$word:*]} )); then place="\${place:+$place }$word"; fi
  done
}

_svc() {
  local place previous="\${words[CURRENT - 1]}"
  local -a reply
  _svc_place "\${(@)words[2,CURRENT - 1]}"
  if _svc_flag_values "$place" "$previous"; then
    if [[ "\${reply[1]}" == @file ]]; then _files; else compadd -a reply; fi
    return
  fi
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _svc_flags "$place"
    _describe -o flag reply
    return
  fi
  _svc_commands "$place"
  if (( \${#reply} )); then _describe command reply; return; fi
  _svc_values "$place"
  if (( \${#reply} )); then compadd -a reply; else _files; fi
}

if [[ "\${funcstack[1]}" == _svc ]]; then
  _svc "$@"
elif (( \${+functions[compdef]} )); then
  compdef _svc svc
fi
`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const described = (name: string, summary: string): string => quoted(`${name}:${summary}`);
const describedFlag = ({ spellings, summary }: FlagWords): readonly string[] =>
  spellings.map((spelling) => described(spelling, summary));

function arms(places: readonly Place[], words: (place: Place) => readonly string[]): string {
  return places
    .filter((place) => words(place).length > 0)
    .map((place) => `  '${place.path}') reply=(${words(place).join(' ')}) ;;`)
    .join('\n');
}

function flagArm(patterns: readonly string[], { values, takesFile }: FlagWords): string {
  const reply = takesFile ? '@file' : values.map(quoted).join(' ');
  return `  ${patterns.map(quoted).join(' | ')}) reply=(${reply}); return 0 ;;`;
}
