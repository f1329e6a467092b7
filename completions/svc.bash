# bash completion of svc. Made by: svc completion bash
# Load it:  source <(svc completion bash)

_svc() {
  local line kind=''
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then
      kind="$line"
    else
      COMPREPLY[${#COMPREPLY[@]}]="$line"
    fi
  done < <(command svc __complete bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" "${COMP_TYPE-}" 2>/dev/null </dev/null)
  # Keep svc's order, and offer files only where svc says so. bash 3.2 lacks compopt.
  compopt -o nosort 2>/dev/null
  [[ $kind == files ]] || compopt +o default 2>/dev/null
}

complete -o default -F _svc svc
