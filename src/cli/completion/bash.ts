import { type FlagWords, globals, type Place, valueArms } from './tree.ts';

/** Needs nothing but bash 3.2. */
export function bashScript(places: readonly Place[]): string {
  const { ofGlobals, ofPlaces } = valueArms(places, flagArm);
  return `# bash completion of svc. Made by: svc completion bash
# Load it:  source <(svc completion bash)

_svc_commands() {
  case "$1" in
${arms(places, ({ commands }) => commands.map(({ name }) => name))}
  *) REPLY='' ;;
  esac
}

_svc_flags() {
  case "$1" in
${arms(places, ({ flags }) => flags.flatMap(({ spellings }) => spellings))}
  *) REPLY='' ;;
  esac
  REPLY="$REPLY ${globals.flatMap(({ spellings }) => spellings).join(' ')}"
}

_svc_values() {
  case "$1" in
${arms(places, ({ values }) => values)}
  *) REPLY='' ;;
  esac
}

# REPLY becomes the values of flag $2 at place $1, or @file. Fails where the flag takes none.
_svc_flag_values() {
  REPLY=''
  case "$2" in
${ofGlobals}
  esac
  case "$1 $2" in
${ofPlaces}
  esac
  return 1
}

_svc() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD - 1]}" place='' word i REPLY
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    _svc_commands "$place"
    case " $REPLY " in
    *" $word "*) place="\${place:+$place }$word" ;;
    esac
  done
  COMPREPLY=()
  if _svc_flag_values "$place" "$prev"; then
    if [[ $REPLY == @file ]]; then
      COMPREPLY=($(compgen -f -- "$cur"))
    else
      COMPREPLY=($(compgen -W "$REPLY" -- "$cur"))
    fi
    return
  fi
  if [[ $cur == -* ]]; then
    _svc_flags "$place"
  else
    _svc_commands "$place"
    [[ -n $REPLY ]] || _svc_values "$place"
  fi
  COMPREPLY=($(compgen -W "$REPLY" -- "$cur"))
}

complete -o default -F _svc svc
`;
}

function arms(places: readonly Place[], words: (place: Place) => readonly string[]): string {
  return places
    .filter((place) => words(place).length > 0)
    .map((place) => `  '${place.path}') REPLY='${words(place).join(' ')}' ;;`)
    .join('\n');
}

function flagArm(patterns: readonly string[], { values, takesFile }: FlagWords): string {
  const reply = takesFile ? '@file' : values.join(' ');
  return `  ${patterns.map((pattern) => `'${pattern}'`).join(' | ')}) REPLY='${reply}' && return 0 ;;`;
}
