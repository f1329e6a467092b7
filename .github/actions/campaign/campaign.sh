# What the steps of action.yml share. Each step begins with: . "$GITHUB_ACTION_PATH/campaign.sh"

failed=0

# Sets `found` to the campaign files, and `tests` to the test files, that match the patterns of an input, one pattern on each line. A path without a pattern counts if it exists.
find_files() {
  local each IFS=$'\n'
  shopt -s nullglob globstar
  found=() tests=()
  for each in $1; do
    if [[ $each == *.test.yaml && -f $each ]]; then tests+=("$each")
    elif [ -f "$each" ]; then found+=("$each"); fi
  done
}

# Ends the step unless a file of the input matches. $1 is the name of the input, $2 its value.
need_files() {
  find_files "$2"
  [ ${#found[@]} -gt 0 ] || fail 2 "no file matches the input $1: $2"
}

# Runs svc. Its stdout goes to the file $1. Its stderr goes to the log, and is kept for failure_text. Sets `code`.
run_svc() {
  local output=$1
  shift
  code=0
  svc "$@" 2>&1 >>"$output" | tee -- "$RUNNER_TEMP/svc-stderr" >&2 || code=$?
}

# Prints why the last command failed, without the pages before its error. $1 names the command.
failure_text() {
  local text
  text=$(sed -n '/^svc: /,$p' "$RUNNER_TEMP/svc-stderr")
  [ -n "$text" ] || text=$(tail -n 20 -- "$RUNNER_TEMP/svc-stderr")
  printf '%s ended with exit code %s.\n\n%s\n' "$1" "$code" "${text:0:4000}"
}

# Prints a text as a code block of Markdown, which no text can end.
code_block() { sed 's/^/    /'; }

# Keeps the exit code of the first failure, for the end of the step.
keep_code() {
  [ "$code" -eq 0 ] || [ "$failed" -ne 0 ] || failed=$code
}

# Ends the step with the exit code of the first failure, which is also an output.
finish() {
  printf 'code=%s\n' "$failed" >>"$GITHUB_OUTPUT"
  exit "$failed"
}

# Shows a failure of svc in the summary of the job and as an annotation.
show_failure() {
  keep_code
  failure_text "$1" | code_block >>"$GITHUB_STEP_SUMMARY"
  printf '\n' >>"$GITHUB_STEP_SUMMARY"
  say error "$(failure_text "$1")"
}

# Prints a command of the job's log. Escapes the text as @actions/core does.
say() {
  local text=$2
  text=${text//'%'/%25}
  text=${text//$'\r'/%0D}
  text=${text//$'\n'/%0A}
  printf '::%s::%s\n' "$1" "$text"
}

fail() {
  say error "$2"
  exit "$1"
}
