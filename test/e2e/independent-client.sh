#!/bin/sh
# A client written from the interface's document alone, with curl, openssl, and the lines to sign.
# It uses every method of every resource and prints a line for each call: who, method, target, status.
#
# Needs: BASE_URL, CID, USER_ID, KEY (a company's admin), PID, PARTNER_KEY, and the ids of records that the interface cannot
# create: LIST, OTHER_LIST, SUBSCRIBER, FIELD, SEARCH, DESTINATION, FORM.
set -eu

CR=$(printf '\r')
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
: > "$WORK/body"

# call WHO METHOD TARGET [BODY [CONTENT-TYPE]]: signs as WHO (company, partner, partner-alone, wrong-key).
call() {
  who=$1 method=$2 target=$3 body=${4-} type=${5-application/json}
  path=${target%%\?*}
  date=$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')
  nonce=$(openssl rand -hex 20)
  lines="$method $path$CR
Date: $date$CR
"
  set -- --silent --show-error --max-time 20 --output "$WORK/body" --dump-header "$WORK/head" --write-out '%{http_code}'
  set -- "$@" --header "Date: $date" --header 'Accept: application/json' --header "X-Svc-Nonce: $nonce"
  scheme=SvcHash key=$KEY
  case $who in
    partner | partner-alone)
      scheme=SvcPartner key=$PARTNER_KEY
      lines="${lines}X-Svc-PID: $PID$CR
"
      set -- "$@" --header "X-Svc-PID: $PID"
      ;;
  esac
  if [ "$who" != partner-alone ]; then
    lines="${lines}X-Svc-CID: $COMPANY$CR
"
    set -- "$@" --header "X-Svc-CID: $COMPANY"
  fi
  case $who in
    company | wrong-key)
      lines="${lines}X-Svc-UID: $USER_ID$CR
"
      set -- "$@" --header "X-Svc-UID: $USER_ID"
      ;;
  esac
  [ "$who" = wrong-key ] && key=00000000000000000000000000000000
  signature=$(printf '%sX-Svc-Nonce: %s\r\n%s' "$lines" "$nonce" "$key" | openssl dgst -sha1 -r | cut -c1-40)
  set -- "$@" --header "Authorization: $scheme signature=\"$signature\""
  case $method in
    HEAD) set -- "$@" --head ;;
    *) set -- "$@" --request "$method" ;;
  esac
  [ -n "$body" ] && set -- "$@" --header "Content-Type: $type" --data-raw "$body"
  : > "$WORK/body"
  status=$(curl "$@" "$BASE_URL$target")
  printf '%s %s %s %s\n' "$who" "$method" "$(shown "$target")" "$status"
}

# Prints the target with a word for each id that differs between runs.
shown() { printf '%s' "${1#/v1/}" | sed -E 's#/[0-9_]+$#/ID#; s#(\?|&|_)id=[0-9_]+#\1id=ID#g'; }

# Prints the id in the last response.
made() { sed -n 's/.*"data":\[*{"id":"*\([0-9_]*\).*/\1/p' "$WORK/body"; }

COMPANY=$CID
FORM_TYPE=application/x-www-form-urlencoded
SOON=$(($(date +%s) + 86400))

# account, accountFeatures
call company GET /v1/account
call company GET "/v1/account/$CID"
call company HEAD /v1/account
call company POST /v1/account '{"name":"New","contactemail":"new@example.com"}'
call company PUT /v1/account '{"name":"New"}'
call company DELETE /v1/account
call company GET /v1/accountFeatures
call company PUT "/v1/accountFeatures/$CID" '{"locked":true}'
call partner GET /v1/accountFeatures
call partner PUT "/v1/accountFeatures/$CID" '{"enablesubscriptionmo":true,"enableanalyse":true}'
call partner PUT /v1/accountFeatures "id=$CID&enableanalyse=0&search_limit=" "$FORM_TYPE"
call partner HEAD /v1/accountFeatures
call partner POST /v1/accountFeatures '{}'
call partner DELETE /v1/accountFeatures
call partner-alone POST /v1/account '{"name":"New","contactemail":"new@example.com","user_limit":3}'
COMPANY=$(made)
call partner POST /v1/user 'email=a%40example.com&firstname=A&lastname=B&username=a&password=secret123&isadmin=true' "$FORM_TYPE"
call partner GET /v1/user
COMPANY=$CID

# user
call company POST /v1/user '{"email":"u@example.com","firstname":"U","lastname":"V","username":"u","password":"secret123"}'
person=$(made)
call company POST /v1/user '{"email":"u@example.com","firstname":"U","lastname":"V","username":"u","password":null}'
call company POST /v1/user '{"email":"none","password":"weak"}'
call company GET /v1/user
call company GET "/v1/user/$person"
call company GET '/v1/user?currentuser=true'
call company HEAD '/v1/user?username=u'
call company HEAD '/v1/user?username=nobody'
call company PUT "/v1/user/$person" '{"firstname":"Other","msisdn":"447700900123"}'
call company DELETE "/v1/user/$USER_ID"
call company DELETE "/v1/user/$person"

# folder
call company GET '/v1/folder?name=none'
call company POST /v1/folder 'name=Spring+%26+summer' "$FORM_TYPE"
folder=$(made)
call company POST /v1/folder/ '{"name":"Other"}'
call company POST /v1/folder '{"name":""}'
call company GET '/v1/folder?sort=name&reverse=true&count=1'
call company GET '/v1/folder?sort=mdate'
call company HEAD "/v1/folder/$folder"
call company PUT "/v1/folder/$folder" 'name=Autumn' "$FORM_TYPE"
call company DELETE /v1/folder
call company DELETE /v1/folder "{\"id\":$folder}"

# messages and links
call company POST /v1/emailMessage '{"fromemail":null,"fromname":"Us","html":"<p><a href=\"https://example.com/\">Go</a></p>","name":"M","replyemail":"us@example.com","subject":"S","text":"Hello"}'
email=$(made)
call company GET /v1/emailMessage
call company GET "/v1/emailMessage/$email"
call company HEAD '/v1/emailMessage?editable=true'
call company PUT "/v1/emailMessage/$email" '{"subject":"Other"}'
call company GET "/v1/emailMessageLink?message_id=$email&type=html"
link=$(made)
call company GET "/v1/emailMessageLink/$link"
call company HEAD "/v1/emailMessageLink?id=$link"
call company POST /v1/emailMessageLink '{}'
call company PUT "/v1/emailMessageLink/$link" '{}'
call company DELETE "/v1/emailMessageLink/$link"
call company POST /v1/smsMessage 'fromname=Us&message=Hello&name=M&subinfo=1' "$FORM_TYPE"
text=$(made)
call company GET "/v1/smsMessage?id=$text"
call company HEAD '/v1/smsMessage?used=0'
call company PUT "/v1/smsMessage/$text" '{"message":"Bye"}'

# task
call company POST /v1/task "{\"channel\":\"email\",\"message_id\":$email,\"name\":\"T\",\"scheduledtime\":$SOON,\"list_id\":$LIST,\"search_id\":null}"
task=$(made)
call company POST /v1/task "channel=sms&message_id=$text&name=T&scheduledtime=$SOON&list_id=&search_id=$SEARCH" "$FORM_TYPE"
call company POST /v1/task "{\"channel\":\"email\",\"message_id\":$email,\"name\":\"T\",\"scheduledtime\":$SOON,\"list_id\":$LIST,\"search_id\":$SEARCH}"
call company GET '/v1/task?channel=email&cancelled=false'
call company GET '/v1/task?list_id='
call company HEAD "/v1/task?message_id=$email"
call company PUT "/v1/emailMessage/$email" '{"subject":"Too late"}'
call company PUT "/v1/task/$task" "{\"list_id\":$OTHER_LIST,\"search_id\":null,\"name\":\"Other\"}"
call company PUT "/v1/task/$task" '{"cancelled":true}'
call company PUT "/v1/task/$task" '{"name":"Too late"}'
call company DELETE "/v1/task/$task"
call company DELETE "/v1/emailMessage/$email"
call company DELETE "/v1/smsMessage/$text"

# sms, destinations
call company POST /v1/sms "{\"msisdn\":\"447700900123\",\"fromaddress\":\"Us\",\"message\":\"Hello\",\"senddate\":$SOON}"
sms=$(made)
call company GET "/v1/sms/$sms"
call company HEAD '/v1/sms?msisdn=447700900123'
call company PUT "/v1/sms/$sms" '{}'
call company DELETE "/v1/sms/$sms"
call company GET /v1/smsDestination
call company HEAD '/v1/smsDestination?isshortcode=false'
call company PUT "/v1/smsDestination/$DESTINATION" '{"keyword":"word"}'
call company PUT "/v1/smsDestination/$DESTINATION" 'keyword=' "$FORM_TYPE"
call company POST /v1/smsDestination '{}'
call company DELETE "/v1/smsDestination/$DESTINATION"

# Do Not Contact
call company POST /v1/doNotContact '{"contactdata":"Gone@Example.com"}'
call company POST /v1/doNotContact '{"contactdata":"gone@example.com"}'
call company GET '/v1/doNotContact?contactdata=gone@example.com'
call company HEAD '/v1/doNotContact?contactdata=gone@example.com'
call company PUT /v1/doNotContact '{}'
call company DELETE /v1/doNotContact
call company DELETE '/v1/doNotContact?contactdata=gone@example.com'

# form
call company GET /v1/form
call company GET "/v1/form?user_id=$USER_ID"
call company HEAD "/v1/form/$FORM"
call company POST /v1/form '{}'
call company PUT "/v1/form/$FORM" '{}'
call company DELETE "/v1/form/$FORM"

# subscriberProfileData
call company POST /v1/subscriberProfileData "{\"subscriber_id\":$SUBSCRIBER,\"subscriberprofilefield_id\":$FIELD,\"value\":\"red\"}"
data=$(made)
call company GET /v1/subscriberProfileData
call company GET "/v1/subscriberProfileData?subscriber_id=$SUBSCRIBER"
call company HEAD "/v1/subscriberProfileData/$data"
call company PUT "/v1/subscriberProfileData/$data" '{"value":"blue"}'
call company PUT /v1/subscriberProfileData "subscriber_id=$SUBSCRIBER&subscriberprofilefield_id=$FIELD&value=green" "$FORM_TYPE"
call company DELETE "/v1/subscriberProfileData/$data"

# automation rules, of each kind
call company POST /v1/emailMessage '{"fromemail":null,"fromname":"Us","html":"<a href=\"https://example.com/\">Go</a>","name":"Rule","replyemail":"us@example.com","subject":"S","text":"T"}'
email=$(made)
notify='"name":"R","summary":null,"actiontype":"notify","actiontarget":"office@example.com"'
later='"actiontimediff":1440,"actionhour":"09:00:00","actiononweekend":false'
rule() {
  kind=$1
  call company POST "/v1/$kind" "$2"
  id=$(made)
  call company GET "/v1/$kind/$id"
  call company GET "/v1/$kind?paused=false&sort=name"
  call company HEAD "/v1/$kind?name=R"
  call company PUT "/v1/$kind/$id" '{"paused":true}'
  call company PUT "/v1/$kind/$id" 'paused=0&name=Other' "$FORM_TYPE"
  call company DELETE "/v1/$kind/$id"
}
rule clickAutomation "{$notify,$later,\"link_id\":null,\"message_id\":$email}"
rule openAutomation "{$notify,\"message_id\":$email}"
rule subscriptionAutomation "{\"name\":\"R\",\"summary\":null,\"actiontype\":\"copytolist\",\"actiontarget\":\"$OTHER_LIST\",$later,\"list_id\":$LIST}"
rule dateAutomation "{$notify,\"actiontimediff\":-1440,\"actiononweekend\":true}"
rule smsAutomation "{\"keyword\":\"go\",\"list_id\":$LIST,\"name\":\"R\",\"summary\":null,\"notifyemail\":\"office@example.com\"}"

# requests that the service rejects
call wrong-key GET /v1/account
call company GET /v1/nothing
call company POST /v1/folder 'name: News' text/plain
