# A small client of the interface, with bash, openssl and curl. Source it, then call svc_request.
#
#   svc_request METHOD TARGET [JSON]   sends one request, and repeats it where that is safe
#
# Afterwards SVC_STATUS is the status code and SVC_BODY the answer. It returns 0 for a success, 1 where the service said no,
# 2 where the answer is not the service's, 7 where nothing was reached, and 10 where a POST may or may not have been done.
#
# SVC_BASE_URL, SVC_COMPANY_ID, SVC_USER_ID and SVC_API_KEY say where, who and with which key; for a partner SVC_PARTNER_ID and
# SVC_PARTNER_API_KEY. SVC_HEADER_PREFIX, SVC_COMPANY_SCHEME and SVC_PARTNER_SCHEME are a deployment's own names.

SVC_ATTEMPTS=3

svc_request() {
  local method=$1 target=$2 body=${3-} attempt code wait
  for ((attempt = 1; ; attempt++)); do
    wait=''
    svc_send "$method" "$target" "$body"
    code=$?
    if [ "$code" -ne 0 ]; then
      case $code in
        5 | 6 | 7 | 35 | 60) ;; # Name, connection, TLS: nothing was sent.
        # Repeating a GET, PUT or DELETE changes nothing more; a POST may have been done.
        *) [ "$method" != POST ] || return 10 ;;
      esac
      [ "$attempt" -lt "$SVC_ATTEMPTS" ] || return 7
      sleep "0.$((attempt * 3))"
      continue
    fi
    if [ "$attempt" -lt "$SVC_ATTEMPTS" ] &&
      { [ "$SVC_STATUS" -eq 429 ] || { [ "$SVC_STATUS" -ge 500 ] && [ "$method" != POST ]; }; }; then
      [[ $SVC_RETRY_AFTER =~ ^[0-9]+$ ]] && wait=$((SVC_RETRY_AFTER < 30 ? SVC_RETRY_AFTER : 30))
      sleep "${wait:-0.$((attempt * 3))}"
      continue
    fi
    break
  done
  # The first attempt had done it, and its answer was lost.
  [ "$method" = DELETE ] && [ "$SVC_STATUS" -eq 404 ] && [ "$attempt" -gt 1 ] && return 0
  if [ "$method" != HEAD ] && ! [[ $SVC_BODY =~ ^\{\"status\":\"([oO][kK]|[eE][rR][rR][oO][rR])\" ]]; then return 2; fi
  [ "$SVC_STATUS" -lt 300 ]
}

# Signs with a new Date and nonce; gives curl's exit code. The key reaches no command line.
svc_send() {
  local method=$1 target=$2 body=$3 prefix=${SVC_HEADER_PREFIX:-X-Svc-} base=${SVC_BASE_URL%/} key=${SVC_API_KEY-} scheme
  local origin path date nonce signature head code line headers=()
  origin=$(sed -E 's#^(https?://[^/]+).*#\1#' <<<"$base")
  path=${base#"$origin"}${target%%\?*}
  date=$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')
  nonce=$(openssl rand -hex 20)
  scheme=${SVC_COMPANY_SCHEME:-SvcHash}
  headers=("Date: $date")
  if [ -n "${SVC_PARTNER_ID-}" ]; then
    scheme=${SVC_PARTNER_SCHEME:-SvcPartner} key=$SVC_PARTNER_API_KEY
    headers+=("${prefix}PID: $SVC_PARTNER_ID")
  fi
  [ -z "${SVC_COMPANY_ID-}" ] || headers+=("${prefix}CID: $SVC_COMPANY_ID")
  [ -z "${SVC_USER_ID-}" ] || headers+=("${prefix}UID: $SVC_USER_ID")
  headers+=("${prefix}Nonce: $nonce")
  # Method and path without its query, the headers in this order, and the key; lines end with CR LF, the last with nothing.
  signature=$(
    {
      printf '%s\r\n' "$method $path" "${headers[@]}"
      printf '%s' "$key"
    } | openssl dgst -sha1 -r | cut -c1-40
  )
  headers+=("Authorization: $scheme signature=\"$signature\"" 'Accept: application/json')
  set -- --silent --show-error --max-time 30 "${headers[@]/#/-H}"
  # A HEAD has no body to wait for.
  if [ "$method" = HEAD ]; then set -- "$@" --head --output /dev/null; else set -- "$@" --request "$method"; fi
  [ -z "$body" ] || set -- "$@" --header 'Content-Type: application/json' --data-raw "$body"
  head=$(mktemp)
  SVC_BODY=$(curl "$@" --dump-header "$head" "$origin${path}${target#"${target%%\?*}"}")
  code=$?
  SVC_STATUS=0 SVC_RETRY_AFTER=''
  # A proxy's answer to CONNECT may stand before the service's.
  while IFS= read -r line; do
    line=${line%$'\r'}
    case $line in
      HTTP/*) SVC_STATUS=${line#* } SVC_STATUS=${SVC_STATUS%% *} ;;
      [Rr]etry-[Aa]fter:*) SVC_RETRY_AFTER=${line#*: } ;;
    esac
  done <"$head"
  rm -f "$head"
  return "$code"
}

# svc_list RESOURCE [QUERY] [PAGE]: prints the JSON array of each page, one a line; every record once. It sorts by id: `start` is
# a value of the sort attribute, and ties would repeat or hide rows. Sort what it prints to have another order.
svc_list() {
  local resource=$1 query=${2-} page=${3:-200} start='' next result
  while :; do
    svc_request GET "/v1/$resource?sort=id&count=$page${query:+&$query}${start:+&start=$start}"
    result=$?
    # Nothing matches: an empty list.
    [ "$result" -eq 1 ] && [ "$SVC_STATUS" -eq 404 ] && return 0
    [ "$result" -eq 0 ] || return "$result"
    printf '%s\n' "${SVC_BODY#*\"data\":}"
    next=$(svc_value next)
    [ "$next" != null ] || return 0
    [ "$next" != "$start" ] || return 2
    start=$next
  done
}

# The first value of this name in the answer: a number, true, false, null, or a text without escapes.
svc_value() { grep -oE "\"$1\":(\"[^\"\\\\]*\"|[^,}\"]+)" <<<"$SVC_BODY" | head -n 1 | sed -E "s/^\"$1\"://; s/^\"(.*)\"\$/\1/"; }

# The ids of the records on standard input, one a line.
svc_ids() { grep -oE '"id":("[^"]*"|[0-9]+)' | sed -E 's/^"id"://; s/"//g'; }
