#!/bin/sh
# One signed request with curl and openssl:
#   sh client.sh GET '/v1/folder?name=News'
#   sh client.sh POST /v1/folder 'name=News'
# SVC_BASE_URL, SVC_COMPANY_ID, SVC_USER_ID and SVC_API_KEY say where, who and with which key; CURL_CA_BUNDLE names the
# certificate of a private authority. The key reaches no command line.
set -eu
method=$1
target=$2
date=$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')
nonce=$(openssl rand -hex 20)
# Method and path without its query, the headers in this order, and the key; lines end with CR LF, the last one with nothing.
signature=$(printf '%s %s\r\nDate: %s\r\nX-Svc-CID: %s\r\nX-Svc-UID: %s\r\nX-Svc-Nonce: %s\r\n%s' \
  "$method" "${target%%\?*}" "$date" "$SVC_COMPANY_ID" "$SVC_USER_ID" "$nonce" "$SVC_API_KEY" |
  openssl dgst -sha1 -r | cut -c1-40)
curl --silent --show-error --request "$method" ${3+--data-raw "$3"} \
  --header "Date: $date" \
  --header "X-Svc-CID: $SVC_COMPANY_ID" \
  --header "X-Svc-UID: $SVC_USER_ID" \
  --header "X-Svc-Nonce: $nonce" \
  --header "Authorization: SvcHash signature=\"$signature\"" \
  --write-out '\n%{http_code}\n' "$SVC_BASE_URL$target"
