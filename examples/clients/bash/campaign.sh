#!/usr/bin/env bash
# A whole campaign: bash campaign.sh LIST SUBSCRIBER FIELD (ids)
# One request:      bash campaign.sh request METHOD TARGET [JSON]
set -u
. "$(dirname "$0")/svc-client.sh"

# Does what must succeed, or ends here.
must() {
  svc_request "$@"
  local code=$?
  [ "$code" -eq 0 ] && return
  if [ "$code" -eq 10 ]; then echo "outcome unknown: $1 $2" >&2; else echo "$1 $2 failed ($code): ${SVC_STATUS} ${SVC_BODY}" >&2; fi
  exit "$code"
}

# refused STATUS METHOD TARGET [JSON]: does what the service must refuse.
refused() {
  local status=$1
  shift
  svc_request "$@"
  if [ "$?" -ne 1 ] || [ "$SVC_STATUS" -ne "$status" ]; then
    echo "not refused with $status: $2" >&2
    exit 1
  fi
}

if [ "$1" = request ]; then
  shift
  must "$@"
  printf '%s\n' "$SVC_BODY"
  exit
fi
list=$1 subscriber=$2 field=$3

must POST /v1/emailMessage '{"name":"Spring","subject":"Spring is here","fromname":"Shop","fromemail":null,
  "replyemail":"shop@example.com","html":"<p>Hello. <a href=\"https://example.com/\">Our offers</a></p>",
  "text":"Hello. Our offers: https://example.com/"}'
message=$(svc_value id)
echo 'message created'
must POST /v1/task "{\"channel\":\"email\",\"message_id\":$message,\"name\":\"Spring\",\"list_id\":$list,\"search_id\":null,
  \"scheduledtime\":$(($(date +%s) + 86400))}"
task=$(svc_value id)
must GET "/v1/task/$task"
echo "task of size $(svc_value size) cancelled $(svc_value cancelled)"
must PUT "/v1/task/$task" '{"cancelled":true}'
must GET "/v1/task/$task"
echo "task cancelled $(svc_value cancelled)"
refused 409 PUT "/v1/task/$task" '{"cancelled":true}'
echo "cancelled again $SVC_STATUS"
must DELETE "/v1/emailMessage/$message"
echo 'message deleted'

for value in red blue; do
  # By its pair PUT stores the value, whether there was one or not.
  must PUT /v1/subscriberProfileData "{\"subscriber_id\":$subscriber,\"subscriberprofilefield_id\":$field,\"value\":\"$value\"}"
  must GET "/v1/subscriberProfileData?subscriber_id=$subscriber&subscriberprofilefield_id=$field"
  echo "profile data $(svc_value value)"
done
must DELETE "/v1/subscriberProfileData/$(svc_value id)"

must POST /v1/doNotContact '{"contactdata":"gone@example.com"}'
entry=$(svc_value id)
refused 409 POST /v1/doNotContact '{"contactdata":"gone@example.com"}'
[ "$(svc_value resource_id)" = "$entry" ] && echo 'do not contact listed already'
must HEAD '/v1/doNotContact?contactdata=gone@example.com'
echo 'listed true'
must DELETE "/v1/doNotContact/$entry"
refused 404 HEAD '/v1/doNotContact?contactdata=gone@example.com'
echo 'listed false'

made=()
for _ in 1 2 3 4 5; do
  must POST /v1/folder '{"name":"Same & same"}'
  made+=("$(svc_value id)")
done
pages=$(svc_list folder 'name=Same%20%26%20same' 2) || exit
mapfile -t found < <(svc_ids <<<"$pages")
echo "folders ${#found[@]} each once $([ "${found[*]}" = "${made[*]}" ] && echo true || echo false)"
for id in "${found[@]}"; do must DELETE "/v1/folder/$id"; done
left=$(svc_list folder 'name=Same%20%26%20same') || exit
echo "folders left $(svc_ids <<<"$left" | wc -l)"
refused 400 POST /v1/folder '{"name":""}'
echo "fault of $(svc_value attribute)"
