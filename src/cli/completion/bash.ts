import { type FlagWords, globals, type Offered, operandArms, type Place, valueArms } from './tree.ts';

/** Returns the script for bash, which needs only bash 3.2. */
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

# REPLY becomes what operand $2 at place $1 can be, with @kind for what is looked up.
_svc_operands() {
  case "$1 $2" in
${operandArms(places, operandArm)}
  *) REPLY='' ;;
  esac
}

# REPLY becomes the values of flag $2 at place $1, @kind for what is looked up, or @file. Fails where the flag takes none.
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

# The words up to the cursor as they were typed, in typed: bash takes : and = for words of their own.
_svc_typed() {
  local i word isJoined=''
  typed=()
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ $word == = ]]; then
      ((i == COMP_CWORD)) && typed[\${#typed[@]}]=''
    elif [[ $word == :* && \${#typed[@]} -gt 0 ]]; then
      typed[\${#typed[@]} - 1]+="$word"
      isJoined=1
      continue
    elif [[ -n $isJoined ]]; then
      typed[\${#typed[@]} - 1]+="$word"
    else
      typed[\${#typed[@]}]="$word"
    fi
    isJoined=''
  done
}

# REPLY becomes word $1 as it is written behind an opened quote, $2, or by itself. Fails where it can't be written so.
_svc_written() {
  REPLY="$1"
  [[ $1 == *[!A-Za-z0-9_.,:@/+-]* ]] || return 0
  case "$2" in
  \\') [[ $1 != *\\'* ]] ;;
  \\") [[ $1 != *[\\"\\$\\\`\\\\!]* ]] ;;
  *)
    printf -v REPLY %q "$1"
    REPLY="\${REPLY//\\\\,/,}"
    ;;
  esac
}

# Adds to COMPREPLY what svc knows of kind $1: ids with names where several are listed, the id where it is put in.
_svc_look_up() {
  local value name line i width=0 values names REPLY opened='' word="$cur" kept=''
  values=() names=()
  case "$cur" in
  [\\'\\"]*) opened="\${cur:0:1}" word="\${cur:1}" ;;
  *)
    word="\${cur//\\\\/}"
    # What stands before a : stays in the line, where bash takes it for the end of a word.
    [[ $word == *:* && $COMP_WORDBREAKS == *:* ]] && kept="\${word%"\${word##*:}"}"
    ;;
  esac
  while IFS=$'\\t' read -r value name; do
    [[ $value == "$word"* ]] && _svc_written "\${value#"$kept"}" "$opened" || continue
    values[\${#values[@]}]="$REPLY"
    names[\${#names[@]}]="$name"
    ((\${#REPLY} > width)) && width=\${#REPLY}
  done < <(command svc __complete "$1" "$word" "\${typed[@]:0:\${#typed[@]} - 1}" 2>/dev/null </dev/null)
  # Neither sorted as words nor mixed with names of files; bash 3.2 has no such options.
  compopt -o nosort +o default 2>/dev/null
  ((\${#values[@]})) || return
  if ((\${#values[@]} + \${#COMPREPLY[@]} == 1)) || [[ \${COMP_TYPE-} == 37 || \${COMP_TYPE-} == 42 ]]; then
    COMPREPLY=("\${COMPREPLY[@]}" "\${values[@]}")
    return
  fi
  for ((i = 0; i < \${#values[@]}; i++)); do
    line="\${values[i]}"
    [[ -z \${names[i]} ]] || printf -v line '%s%*s%s' "$line" $((width - \${#line} + 2)) '' "\${names[i]}"
    COMPREPLY[\${#COMPREPLY[@]}]="$line"
  done
}

_svc_offer() {
  local each fixed=''
  COMPREPLY=()
  for each in $REPLY; do
    [[ $each == @* ]] || fixed="$fixed $each"
  done
  [[ -z $fixed ]] || COMPREPLY=($(compgen -W "$fixed" -- "$cur"))
  for each in $REPLY; do
    [[ $each == @* ]] || continue
    # Where nothing is offered bash completes names of files by itself, whatever is in them.
    [[ $each == @file ]] || _svc_look_up "\${each#@}"
  done
}

_svc() {
  local cur place='' word count=0 isValue='' i last REPLY typed IFS=$' \\t\\n'
  _svc_typed
  ((\${#typed[@]})) || return
  last=$((\${#typed[@]} - 1))
  cur="\${typed[last]}"
  for ((i = 0; i < last; i++)); do
    word="\${typed[i]}"
    if [[ -n $isValue ]]; then
      isValue=''
    elif [[ $word == -* ]]; then
      ! _svc_flag_values "$place" "$word" || isValue=1
    else
      _svc_commands "$place"
      case " $REPLY " in
      *" $word "*) place="\${place:+$place }$word" place="\${place#help }" ;;
      *) count=$((count + 1)) ;;
      esac
    fi
  done
  COMPREPLY=()
  if [[ -n $isValue ]]; then
    _svc_flag_values "$place" "\${typed[last - 1]}"
  elif [[ $cur == -* ]]; then
    _svc_flags "$place"
  else
    REPLY=''
    ((count)) || _svc_commands "$place"
    word="$REPLY"
    _svc_operands "$place" "$count"
    REPLY="$word $REPLY"
  fi
  _svc_offer
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

const operandArm = (path: string, index: string, operand: Offered): string =>
  `  '${path} '${index}) REPLY='${wordsOf(operand)}' ;;`;

function flagArm(patterns: readonly string[], flag: FlagWords): string {
  return `  ${patterns.map((pattern) => `'${pattern}'`).join(' | ')}) REPLY='${wordsOf(flag)}' && return 0 ;;`;
}

const wordsOf = ({ values, live, takesFile }: Offered): string =>
  [...(takesFile ? ['@file'] : values), ...(live === undefined ? [] : [`@${live}`])].join(' ');
