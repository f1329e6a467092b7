import { type FlagWords, globals, type Offered, operandArms, type Place, valueArms } from './tree.ts';

/** Returns the script for zsh, which works in a folder of `fpath` and can also be sourced. */
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

# reply becomes what operand $2 at place $1 can be, with @kind for what is looked up.
_svc_operands() {
  reply=()
  case "$1 $2" in
${operandArms(places, operandArm)}
  esac
}

# reply becomes the values of flag $2 at place $1, @kind for what is looked up, or @file. Fails where the flag takes none.
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

# place becomes the commands among the words, count how many others stand after them, flag one that wants its value.
_svc_place() {
  local word
  place='' flag='' count=0
  for word in "$@"; do
    if [[ -n "$flag" ]]; then
      flag=''
    elif [[ "$word" == -* ]]; then
      if _svc_flag_values "$place" "$word"; then flag="$word"; fi
    else
      _svc_commands "$place"
      if (( \${reply[(I)\${(b)word}:*]} )); then
        place="\${place:+$place }$word"
        place="\${place#help }"
      else
        (( count += 1 ))
      fi
    fi
  done
}

# Offers what svc knows of kind $1: ids, with their names beside them. What is put in zsh quotes itself.
_svc_look_up() {
  local line word="\${(Q)2}"
  word="\${word#[\\"\\']}"
  local -a values shown
  while IFS= read -r line; do
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  }")
  done < <(command svc __complete "$1" "$word" "\${(@)words[2,CURRENT - 1]}" 2>/dev/null </dev/null)
  (( \${#values} )) && compadd -V ids -l -d shown -a values
}

# Offers what reply holds. Fails where that is nothing.
_svc_offer() {
  local -a fixed live
  fixed=("\${(@)reply:#@*}")
  live=("\${(@M)reply:#@*}")
  (( \${#fixed} )) && compadd -a fixed
  local each
  for each in "\${live[@]}"; do
    if [[ "$each" == @file ]]; then _files; else _svc_look_up "\${each#@}" "$1"; fi
  done
  (( \${#reply} ))
}

_svc() {
  local place flag word="\${words[CURRENT]}"
  local -i count
  local -a reply
  _svc_place "\${(@)words[2,CURRENT - 1]}"
  if [[ -z "$flag" && "$word" == --*=* ]] && _svc_flag_values "$place" "\${word%%=*}"; then
    compset -P '*='
    flag="\${word%%=*}" word="\${word#*=}"
  fi
  if [[ -n "$flag" ]]; then
    _svc_flag_values "$place" "$flag"
    _svc_offer "$word"
    return
  fi
  if [[ "$word" == -* ]]; then
    _svc_flags "$place"
    _describe -o flag reply
    return
  fi
  reply=()
  (( count )) || _svc_commands "$place"
  if (( \${#reply} )); then
    local -i status_so_far=1
    _describe command reply && status_so_far=0
    _svc_operands "$place" "$count"
    _svc_offer "$word" && status_so_far=0
    return status_so_far
  fi
  _svc_operands "$place" "$count"
  _svc_offer "$word" || _files
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

const operandArm = (path: string, index: string, operand: Offered): string =>
  `  '${path} '${index}) reply=(${wordsOf(operand)}) ;;`;

function flagArm(patterns: readonly string[], flag: FlagWords): string {
  return `  ${patterns.map(quoted).join(' | ')}) reply=(${wordsOf(flag)}); return 0 ;;`;
}

const wordsOf = ({ values, live, takesFile }: Offered): string =>
  [...(takesFile ? ['@file'] : values), ...(live === undefined ? [] : [`@${live}`])].map(quoted).join(' ');
