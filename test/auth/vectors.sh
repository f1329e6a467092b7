#!/bin/sh
# Makes vectors.json with openssl alone. The strings are written here line by line, as the interface's "Signature" says, without
# src/auth. Run: sh test/auth/vectors.sh > test/auth/vectors.json
set -eu

CR=$(printf '\r')
COMPANY_KEY=0123456789abcdef0123456789abcdef
PARTNER_KEY='p@rtner-key_of_printable+ASCII~!'
# Any printable ASCII string, with spaces at any place.
SPACED_KEY=' a key  of several words ~ '

# vector NAME CREDENTIALS-JSON METHOD PATH DATE NONCE NAMING-JSON AUTHORIZATION-SCHEME KEY LINE...
vector() {
  name=$1 credentials=$2 method=$3 path=$4 date=$5 nonce=$6 naming=$7 scheme=$8 key=$9
  shift 9
  string=''
  shown=''
  for line in "$@"; do
    string="$string$line$CR
"
    shown="$shown$(escape "$line")\\r\\n"
  done
  string="$string$key"
  shown="$shown$(escape "$key")"
  signature=$(printf '%s' "$string" | openssl dgst -sha1 -r | cut -c1-40)
  [ -z "${first:-}" ] && first=no || printf ',\n'
  printf '  {\n'
  printf '    "name": "%s",\n' "$name"
  printf '    "credentials": %s,\n' "$credentials"
  printf '    "method": "%s",\n    "path": "%s",\n' "$method" "$path"
  printf '    "date": "%s",\n    "nonce": "%s",\n' "$date" "$nonce"
  printf '    "naming": %s,\n' "$naming"
  printf '    "canonical": "%s",\n' "$shown"
  printf '    "authorization": "%s signature=\\"%s\\""\n  }' "$scheme" "$signature"
}

escape() { printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g'; }

DATE='Tue, 01 Dec 2026 09:00:00 GMT'
NONCE=00112233445566778899aabbccddeeff00112233
VENDOR='{"headerPrefix":"X-Acme-","companyScheme":"AcmeHash","partnerScheme":"AcmePartner"}'

printf '[\n'
vector 'company' \
  '{"kind":"company","companyId":42,"userId":7,"apiKey":"'$COMPANY_KEY'"}' \
  GET /v1/folder "$DATE" "$NONCE" '{}' SvcHash "$COMPANY_KEY" \
  'GET /v1/folder' "Date: $DATE" 'X-Svc-CID: 42' 'X-Svc-UID: 7' "X-Svc-Nonce: $NONCE"
vector 'company, an item, another method, a short nonce' \
  '{"kind":"company","companyId":1,"userId":2,"apiKey":"'$COMPANY_KEY'"}' \
  DELETE /v1/emailMessage/15 'Sun, 06 Nov 1994 08:49:37 GMT' n '{}' SvcHash "$COMPANY_KEY" \
  'DELETE /v1/emailMessage/15' 'Date: Sun, 06 Nov 1994 08:49:37 GMT' 'X-Svc-CID: 1' 'X-Svc-UID: 2' 'X-Svc-Nonce: n'
vector 'company, a path with percent-encoding, signed as it is sent' \
  '{"kind":"company","companyId":42,"userId":7,"apiKey":"'$COMPANY_KEY'"}' \
  GET /v1/subscriberProfileData/3%5F17 "$DATE" "$NONCE" '{}' SvcHash "$COMPANY_KEY" \
  'GET /v1/subscriberProfileData/3%5F17' "Date: $DATE" 'X-Svc-CID: 42' 'X-Svc-UID: 7' "X-Svc-Nonce: $NONCE"
vector 'company, a path with a slash at its end' \
  '{"kind":"company","companyId":42,"userId":7,"apiKey":"'$COMPANY_KEY'"}' \
  HEAD /v1/folder/ "$DATE" "$NONCE" '{}' SvcHash "$COMPANY_KEY" \
  'HEAD /v1/folder/' "Date: $DATE" 'X-Svc-CID: 42' 'X-Svc-UID: 7' "X-Svc-Nonce: $NONCE"
vector 'partner alone: no CID and no UID line' \
  '{"kind":"partner","partnerId":5,"apiKey":"'$PARTNER_KEY'"}' \
  POST /v1/account "$DATE" "$NONCE" '{}' SvcPartner "$PARTNER_KEY" \
  'POST /v1/account' "Date: $DATE" 'X-Svc-PID: 5' "X-Svc-Nonce: $NONCE"
vector 'partner with a company: no UID line' \
  '{"kind":"partner","partnerId":5,"companyId":42,"apiKey":"'$PARTNER_KEY'"}' \
  PUT /v1/accountFeatures/42 "$DATE" "$NONCE" '{}' SvcPartner "$PARTNER_KEY" \
  'PUT /v1/accountFeatures/42' "Date: $DATE" 'X-Svc-PID: 5' 'X-Svc-CID: 42' "X-Svc-Nonce: $NONCE"
vector 'partner with a company and a user' \
  '{"kind":"partner","partnerId":5,"companyId":42,"userId":7,"apiKey":"'$PARTNER_KEY'"}' \
  GET /v1/user "$DATE" "$NONCE" '{}' SvcPartner "$PARTNER_KEY" \
  'GET /v1/user' "Date: $DATE" 'X-Svc-PID: 5' 'X-Svc-CID: 42' 'X-Svc-UID: 7' "X-Svc-Nonce: $NONCE"
vector 'partner whose key has spaces, at its ends too' \
  '{"kind":"partner","partnerId":5,"apiKey":"'"$SPACED_KEY"'"}' \
  POST /v1/account "$DATE" "$NONCE" '{}' SvcPartner "$SPACED_KEY" \
  'POST /v1/account' "Date: $DATE" 'X-Svc-PID: 5' "X-Svc-Nonce: $NONCE"
vector 'company under vendor names' \
  '{"kind":"company","companyId":42,"userId":7,"apiKey":"'$COMPANY_KEY'"}' \
  GET /v1/folder "$DATE" "$NONCE" "$VENDOR" AcmeHash "$COMPANY_KEY" \
  'GET /v1/folder' "Date: $DATE" 'X-Acme-CID: 42' 'X-Acme-UID: 7' "X-Acme-Nonce: $NONCE"
vector 'partner under vendor names' \
  '{"kind":"partner","partnerId":5,"companyId":42,"userId":7,"apiKey":"'$PARTNER_KEY'"}' \
  GET /v1/folder "$DATE" "$NONCE" "$VENDOR" AcmePartner "$PARTNER_KEY" \
  'GET /v1/folder' "Date: $DATE" 'X-Acme-PID: 5' 'X-Acme-CID: 42' 'X-Acme-UID: 7' "X-Acme-Nonce: $NONCE"
printf '\n]\n'
